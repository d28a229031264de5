import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Key } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import type { ShownSecret } from './secret-dialog.tsx';

const HOUR = 3600;
const OVERLAPS = [
  { value: '0', label: 'No time: it ends at once' },
  { value: String(HOUR), label: 'An hour' },
  { value: String(24 * HOUR), label: 'A day' },
  { value: String(7 * 24 * HOUR), label: 'A week' },
  { value: String(30 * 24 * HOUR), label: '30 days' },
];

interface RotateKeyProps {
  apiKey: Key;
  isOwn: boolean;
  onClose: () => void;
  onRotated: (secret: ShownSecret) => void;
}

/** Gives a key a new secret. The old one works on for a while, so that nobody has to be quick. */
export function RotateKey({ apiKey: { id, name }, isOwn, onClose, onRotated }: RotateKeyProps) {
  const [overlap, setOverlap] = useState(String(24 * HOUR));
  const rotate = useAction('POST /api/v1/keys/{id}/rotate', {
    onDone: ({ data }) => {
      onClose();
      onRotated(data);
    },
    quiet: true,
  });
  const input = { params: { id }, body: { overlap_seconds: Number(overlap) } };
  return (
    <Modal opened onClose={onClose} title={`Rotate the key ${visible(name)}`} centered>
      <Stack>
        <Text size="sm">It gets a new secret, which you see once. Its id, its scopes and its limits stay.</Text>
        <NativeSelect
          label="The old secret stays valid for"
          // Without the secret that it uses this page would be gone before the new one could be read.
          data={isOwn ? OVERLAPS.slice(1) : OVERLAPS}
          value={overlap}
          onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
        />
        {isOwn && <Text size="sm">You are using this key: sign in with the new secret before the old one ends.</Text>}
        {rotate.error && <ErrorState error={rotate.error} title="The key was not rotated" />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate(input)}>
            Rotate
          </Button>
          <CurlButton operation="POST /api/v1/keys/{id}/rotate" input={input} />
        </Group>
      </Stack>
    </Modal>
  );
}
