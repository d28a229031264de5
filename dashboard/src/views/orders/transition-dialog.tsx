import { Button, Checkbox, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Order } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { OutdatedNote } from '../../parts/form/outdated-note.tsx';
import { statusWord } from '../../parts/status/status.tsx';
import { LOST_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { MOVES, type Target } from './transitions.ts';

interface TransitionDialogProps {
  /** The order as it is now. */
  order: Order;
  /** Where to, and at which version of the order that was decided. */
  asking: { to: Target; version: number } | undefined;
  refetch: () => unknown;
  onClose: () => void;
}

/** Asks before an order is moved, and for a reason. If another person moves it meanwhile it says so and does nothing. */
export function TransitionDialog({ order, asking, refetch, onClose }: TransitionDialogProps) {
  const [reason, setReason] = useState('');
  const [restock, setRestock] = useState(false);
  const unsaved = useUnsaved(reason.trim() !== '', LOST_WORDS);
  const move = useAction('POST /api/v1/orders/{id}/transitions', {
    done: ({ data }) => `The order is ${statusWord(data.status).toLowerCase()} now.`,
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
  });
  if (!asking) return null;
  const { to, version } = asking;
  const input = {
    params: { id: order.id },
    body: { to, ...(reason.trim() !== '' && { reason: reason.trim() }), ...(restock && { restock }), expected_version: version },
  };
  // Under way it may well be our own move that the page hears of first.
  const isOutdated = order.version !== version && !move.isPending;
  // What it has become meanwhile is read anew, so that the answer is more than a number.
  const submit = (): void => move.mutate(input, { onError: () => void refetch() });
  const close = (): void => unsaved.leave(onClose);
  return (
    <Modal opened onClose={close} title={MOVES[to].verb} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <Text size="sm">{MOVES[to].about}</Text>
          {isOutdated ? (
            <OutdatedNote what="order">
              Meanwhile this order was changed and is {statusWord(order.status).toLowerCase()} now. Nothing was done. Close this, look at it
              again, and decide anew.
            </OutdatedNote>
          ) : (
            <>
              <Textarea
                label="Reason"
                description="Kept in the history of the order. Optional."
                maxLength={500}
                autosize
                minRows={2}
                data-autofocus
                value={reason}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
              />
              {to === 'returned' && order.reserve && (
                <Checkbox
                  label="Put the goods back into stock"
                  checked={restock}
                  onChange={({ currentTarget }) => setRestock(currentTarget.checked)}
                />
              )}
              {move.error && <ErrorState error={move.error} title="The status was not changed" />}
            </>
          )}
          <Group justify="flex-end" gap={6}>
            <Button variant="default" onClick={close}>
              {isOutdated ? 'Look at it again' : 'Back'}
            </Button>
            {!isOutdated && (
              <>
                <Button type="submit" loading={move.isPending} {...(to === 'cancelled' && { color: 'red.9' })}>
                  {MOVES[to].verb}
                </Button>
                <CurlButton operation="POST /api/v1/orders/{id}/transitions" input={input} />
              </>
            )}
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
