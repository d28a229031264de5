import { Button, Checkbox, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import type { Order } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { LOST_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { OutdatedNote } from '../../../parts/form/outdated-note.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { formatMoney } from '../../../parts/words/money.ts';
import { DeedLines } from './deed-lines.tsx';
import { DEEDS } from './deed-words.ts';
import { type DeedKind, leftOfLines, leftOfTotal } from './left.ts';

interface DeedDialogProps {
  /** The order as it is now. */
  order: Order;
  kind: DeedKind;
  /** The version of the order at which it was opened. */
  version: number;
  refetch: () => unknown;
  onClose: () => void;
}

/** Asks what is shipped, has come back, or is refunded. If another person changes the order meanwhile it says so and does nothing. */
export function DeedDialog({ order, kind, version, refetch, onClose }: DeedDialogProps) {
  const left = leftOfLines(order, kind);
  const [quantities, setQuantities] = useState(kind === 'fulfillments' ? left : left.map(() => 0));
  const [words, setWords] = useState({ carrier: '', number: '', url: '', reason: '', amount: '', location: '' });
  const [restock, setRestock] = useState(false);
  const unsaved = useUnsaved(
    Object.values(words).some((word) => word.trim() !== ''),
    LOST_WORDS,
  );
  const lines = quantities.flatMap((quantity, index) => (quantity > 0 ? [{ line: index + 1, quantity }] : []));
  const text = (name: keyof typeof words, as: string = name) => (words[name].trim() === '' ? {} : { [as]: words[name].trim() });
  const tracking = { ...text('carrier'), ...text('number'), ...text('url') };
  const common = { ...(lines.length > 0 && { lines }), expected_version: version };
  const bodies = {
    fulfillments: { ...common, ...text('location'), ...(Object.keys(tracking).length > 0 && { tracking }) },
    returns: { ...common, ...text('reason'), ...(restock && { restock, ...text('location') }) },
    refunds: {
      ...common,
      ...text('reason'),
      ...(restock && { restock }),
      ...(words.amount.trim() !== '' && { amount: Number(words.amount) }),
    },
  };
  const operation = `POST /api/v1/orders/{id}/${kind}` as const;
  const input = { params: { id: order.id }, body: bodies[kind] };
  const act = useAction(operation, {
    done: () => DEEDS[kind].done,
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
  });
  const isOutdated = order.version !== version && !act.isPending;
  const isNothing = lines.length === 0 && (kind !== 'refunds' || !(Number(words.amount) > 0));
  const close = (): void => unsaved.leave(onClose);
  const field = (name: keyof typeof words, label: string, more: object = {}) => (
    <TextInput
      label={label}
      value={words[name]}
      onChange={({ currentTarget: { value } }) => setWords((old) => ({ ...old, [name]: value }))}
      {...more}
    />
  );
  return (
    <Modal opened onClose={close} title={DEEDS[kind].verb} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isNothing) act.mutate(input, { onError: () => void refetch() });
        }}
      >
        <Stack>
          <Text size="sm">{DEEDS[kind].about}</Text>
          {isOutdated ? (
            <OutdatedNote what="order">
              Meanwhile this order was changed. Nothing was done. Close this, look at it again, and decide anew.
            </OutdatedNote>
          ) : (
            <>
              <DeedLines order={order} left={left} quantities={quantities} onChange={setQuantities} />
              {kind === 'fulfillments' && (
                <>
                  {field('carrier', 'Carrier', { maxLength: 100 })}
                  {field('number', 'Tracking number', { maxLength: 255 })}
                  {field('url', 'Tracking address', { maxLength: 2000, placeholder: 'https://', type: 'url' })}
                  {order.reserve &&
                    field('location', 'Location', {
                      maxLength: 64,
                      description: 'Where the goods leave. Without one, where they are reserved.',
                    })}
                </>
              )}
              {kind === 'refunds' &&
                field('amount', 'Amount', {
                  inputMode: 'decimal',
                  pattern: '[0-9]+(\\.[0-9]{1,4})?',
                  description: `When it is left out, what the lines come to. Up to ${formatMoney(leftOfTotal(order), order.currency)}.`,
                })}
              {kind !== 'fulfillments' && (
                <>
                  <Textarea
                    label="Reason"
                    maxLength={500}
                    autosize
                    minRows={2}
                    value={words.reason}
                    onChange={({ currentTarget: { value } }) => setWords((old) => ({ ...old, reason: value }))}
                  />
                  {(kind === 'returns' || leftOfLines(order, 'fulfillments').some((count) => count > 0)) && (
                    <Checkbox
                      label={
                        kind === 'returns' ? 'Put the goods back into stock' : 'The goods stay in stock: they are not going to be shipped'
                      }
                      checked={restock}
                      disabled={kind === 'refunds' && lines.length === 0}
                      onChange={({ currentTarget }) => setRestock(currentTarget.checked)}
                    />
                  )}
                </>
              )}
              {kind === 'returns' &&
                restock &&
                order.reserve &&
                field('location', 'Location', {
                  maxLength: 64,
                  description: 'Where the goods come in. Without one, where they were taken.',
                })}
              {act.error && <ErrorState error={act.error} title={DEEDS[kind].failed} />}
            </>
          )}
          <Group justify="flex-end" gap={6}>
            <Button variant="default" onClick={close}>
              {isOutdated ? 'Look at it again' : 'Back'}
            </Button>
            {!isOutdated && (
              <>
                <Button type="submit" loading={act.isPending} disabled={isNothing}>
                  {DEEDS[kind].verb}
                </Button>
                <CurlButton operation={operation} input={input} />
              </>
            )}
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
