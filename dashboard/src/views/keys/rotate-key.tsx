import { Text } from '@mantine/core';
import type { Key } from '../../api/resources.ts';
import { RotateDialog } from '../../parts/action/rotate-dialog.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import type { ShownSecret } from './secret-dialog.tsx';

interface RotateKeyProps {
  apiKey: Key;
  isOwn: boolean;
  onClose: () => void;
  onRotated: (secret: ShownSecret) => void;
}

/** Gives a key a new secret. */
export function RotateKey({ apiKey: { id, name }, isOwn, onClose, onRotated }: RotateKeyProps) {
  return (
    <RotateDialog
      operation="POST /api/v1/keys/{id}/rotate"
      id={id}
      title={`Rotate the key ${visible(name)}`}
      about="It gets a new secret, which you see once. Its id, its scopes and its limits stay."
      label="The old secret stays valid for"
      failed="The key was not rotated"
      // Without the secret that it uses this page would be gone before the new one could be read.
      atOnce={!isOwn}
      onClose={onClose}
      onRotated={({ data }) => onRotated(data)}
    >
      {isOwn && <Text size="sm">You are using this key: sign in with the new secret before the old one ends.</Text>}
    </RotateDialog>
  );
}
