import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import type { Product } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { LOST_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { OutdatedNote } from '../../../parts/form/outdated-note.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { plural } from '../../../parts/words/format.ts';
import { formatDelta } from './stock-words.ts';

interface CountDialogProps {
  /** As it is now. */
  product: Product;
  /** The version at which it was opened. */
  version: number;
  refetch: () => unknown;
  onClose: () => void;
}

/** Says how many there are in all. If the product has changed meanwhile it says so and does nothing: another number may be right by then. */
export function CountDialog({ product, version, refetch, onClose }: CountDialogProps) {
  const [counted, setCounted] = useState<number | string>('');
  const unsaved = useUnsaved(counted !== '', LOST_WORDS);
  const { product_id, stock_quantity } = product;
  const save = useAction('PATCH /api/v1/products/{product_id}', {
    done: ({ data }) => (data.result === 'unchanged' ? 'The count agrees: nothing has to be changed.' : 'The count is in the ledger.'),
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
  });
  const isCount = counted !== '' && Number(counted) >= 0;
  const input = { params: { product_id }, body: { stock_quantity: Number(counted), expected_version: version } };
  const isOutdated = product.version !== version && !save.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isCount) save.mutate(input, { onError: () => void refetch() });
  };
  const close = (): void => {
    // What was counted before the change is worth nothing.
    if (isOutdated) unsaved.release();
    unsaved.leave(onClose);
  };
  return (
    <Modal opened onClose={close} title="Count the stock" centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            How many units there are in all locations together. The difference becomes a movement; what is more or less is at the first
            location.
          </Text>
          {isOutdated ? (
            <OutdatedNote what="stock">
              Meanwhile something has changed: {plural(stock_quantity, 'unit')} should be there now. Nothing was done. Close this, look at
              it again, and count anew.
            </OutdatedNote>
          ) : (
            <>
              <NumberInput
                label="Counted"
                withAsterisk
                min={0}
                clampBehavior="none"
                allowDecimal={false}
                value={counted}
                error={Number(counted) < 0 && 'A count is not below zero.'}
                description={
                  counted === '' || Number(counted) === stock_quantity
                    ? `${plural(stock_quantity, 'unit')} should be there.`
                    : `${plural(stock_quantity, 'unit')} should be there: a difference of ${formatDelta(Number(counted) - stock_quantity)}.`
                }
                data-autofocus
                onChange={setCounted}
              />
              {save.error && <ErrorState error={save.error} title="The count was not taken" />}
            </>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {isOutdated ? 'Look at it again' : 'Cancel'}
            </Button>
            {!isOutdated && (
              <>
                <Button type="submit" loading={save.isPending} disabled={!isCount}>
                  Save the count
                </Button>
                <CurlButton operation="PATCH /api/v1/products/{product_id}" input={input} />
              </>
            )}
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
