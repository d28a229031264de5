import type { Key } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { visible } from '../../parts/words/outside-text.tsx';

/** Ends a key for good. */
export function RevokeKey({ apiKey: { id, name }, isOwn }: { apiKey: Key; isOwn: boolean }) {
  return (
    <ActionButton
      operation="DELETE /api/v1/keys/{id}"
      input={{ params: { id } }}
      scope="admin"
      look={{ color: 'red', size: 'xs' }}
      done="The key is revoked."
      confirm={{
        title: `Revoke the key ${visible(name)}?`,
        about: isOwn
          ? 'This is the key that you are using: you will be signed out at once. This cannot be undone.'
          : 'It is refused within a second, everywhere. Systems that use it are shut out. This cannot be undone.',
      }}
    >
      Revoke
    </ActionButton>
  );
}
