import { Autocomplete, Button, Group, Modal, NumberInput, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import type { ProductStock } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { LOST_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { formatCount } from '../../../parts/words/format.ts';
import { DEFAULT_LOCATION } from './stock-words.ts';

const MOST_UNITS = 1_000_000_000_000;
const PLACES: Readonly<Record<string, string>> = { delta: 'Units', product_id: 'The product', location: 'Location', reason: 'Reason' };

/** Adds to the stock by hand, or takes away. What is sent twice, as no answer came, is done once. */
export function MovementDialog({ stock, onClose }: { stock: ProductStock; onClose: () => void }) {
  const [way, setWay] = useState<'in' | 'out'>('in');
  const [units, setUnits] = useState<number | string>('');
  const [location, setLocation] = useState(DEFAULT_LOCATION);
  const [reason, setReason] = useState('');
  const [once] = useState(newKey);
  const unsaved = useUnsaved(units !== '' || reason.trim() !== '', LOST_WORDS);
  const move = useAction('POST /api/v1/stock/movements', {
    done: way === 'in' ? 'It is added to the stock.' : 'It is taken from the stock.',
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
    once,
  });
  const body = {
    product_id: stock.product_id,
    location: location.trim() || DEFAULT_LOCATION,
    delta: way === 'in' ? Number(units) : -Number(units),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  };
  const level = stock.locations.find((one) => one.location === body.location);
  const isNothing = !(Number(units) > 0);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isNothing) move.mutate({ body });
  };
  const close = (): void => unsaved.leave(onClose);
  /** Who enters a minus means that goods went away. */
  const enter = (value: number | string): void => {
    const given = String(value);
    if (given.startsWith('-')) setWay('out');
    setUnits(given.replace('-', ''));
  };
  return (
    <Modal opened onClose={close} title="Add to the stock, or take away" centered>
      <form onSubmit={submit}>
        <Stack>
          <SegmentedControl
            aria-label="What happened"
            value={way}
            onChange={(value) => setWay(value)}
            data={[
              { value: 'in', label: 'Goods came in' },
              { value: 'out', label: 'Goods went away' },
            ]}
          />
          <NumberInput
            label="Units"
            withAsterisk
            min={1}
            max={MOST_UNITS}
            allowDecimal={false}
            value={units}
            data-autofocus
            onChange={enter}
          />
          <Autocomplete
            label="Location"
            description={
              level
                ? `${formatCount(level.on_hand)} on hand there, ${formatCount(level.reserved)} of them reserved.`
                : 'There is nothing yet. A location is there as soon as something is.'
            }
            maxLength={64}
            value={location}
            data={stock.locations.map((one) => one.location)}
            onChange={setLocation}
          />
          <Textarea
            label="Reason"
            description="For those who read the ledger. Optional."
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            {stock.allow_backorder
              ? 'More may be taken away than there is: the product takes backorders.'
              : 'What is reserved for orders cannot be taken away.'}
          </Text>
          {move.error && <ErrorState error={move.error} title="The stock was not changed" place={(path) => PLACES[path] ?? path} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={move.isPending} disabled={isNothing}>
              {way === 'in' ? 'Add' : 'Take away'}
            </Button>
            <CurlButton operation="POST /api/v1/stock/movements" input={{ body }} />
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}

/** Also where the page is not served by https, and there is no `randomUUID`. */
function newKey(): string {
  return `page-${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')}`;
}
