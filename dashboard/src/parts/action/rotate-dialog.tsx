import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Answer, Input, OperationName } from '../../api/client.ts';
import { useAction } from '../../api/queries.ts';
import { ErrorState } from '../page/error-state.tsx';
import { CurlButton } from './curl-button.tsx';

const HOUR = 3600;
/** From seconds to words. */
const OVERLAPS = [
  { value: '0', label: 'No time: it ends at once' },
  { value: String(HOUR), label: 'An hour' },
  { value: String(24 * HOUR), label: 'A day' },
  { value: String(7 * 24 * HOUR), label: 'A week' },
  { value: String(30 * 24 * HOUR), label: '30 days' },
];

/** What gives something a new secret. */
type Rotation = Extract<OperationName, `POST ${string}/rotate`>;

interface RotateDialogProps<Name extends Rotation> {
  operation: Name;
  id: string;
  title: string;
  /** What changes, and what stays. */
  about: string;
  /** What is asked: how long the old one stays valid. */
  label: string;
  failed: string;
  /** Whether the old one may end at once. */
  atOnce?: boolean;
  /** What else is to be known. */
  children?: ReactNode;
  onClose: () => void;
  onRotated: (answer: Answer<Name>) => void;
}

/** Gives something a new secret. The old one works on for a while, so that nobody has to be quick. */
export function RotateDialog<Name extends Rotation>(props: RotateDialogProps<Name>) {
  const { operation, id, title, about, label, failed, atOnce = true, children, onClose, onRotated } = props;
  const [overlap, setOverlap] = useState(String(24 * HOUR));
  const rotate = useAction(operation, {
    onDone: (answer) => {
      onClose();
      onRotated(answer);
    },
    quiet: true,
  });
  const input = { params: { id }, body: { overlap_seconds: Number(overlap) } } as unknown as Input<Name>;
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm">{about}</Text>
        <NativeSelect
          label={label}
          data={atOnce ? OVERLAPS : OVERLAPS.slice(1)}
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        />
        {children}
        {rotate.error && <ErrorState error={rotate.error} title={failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate(input)}>
            Rotate
          </Button>
          <CurlButton operation={operation} input={input} />
        </Group>
      </Stack>
    </Modal>
  );
}
