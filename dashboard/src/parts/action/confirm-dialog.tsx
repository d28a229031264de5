import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorState } from '../page/error-state.tsx';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What will happen, and whether there is a way back. */
  about: ReactNode;
  /** What the button says: a verb, never "OK". */
  verb: string;
  danger?: boolean;
  pending?: boolean;
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that matters. Cancel has the focus, so that Enter does no harm. */
export function ConfirmDialog({
  opened,
  title,
  about,
  verb,
  danger = false,
  pending = false,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {about}
        </Text>
        {error && <ErrorState error={error} title="That did not work" />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button {...(danger && { color: 'red.9' })} loading={pending} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
