import { ShownOnce } from '../../parts/action/shown-once.tsx';
import { visible } from '../../parts/words/outside-text.tsx';

export interface ShownSecret {
  name: string;
  key: string;
}

/** Shows a new key: this once, as the service itself does not keep it. */
export function SecretDialog({ secret: { name, key }, onClose }: { secret: ShownSecret; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The key of ${visible(name)}`}
      values={{ Key: key }}
      about="It is shown this once. Syncline keeps only a fingerprint of it and cannot show it again. If it is lost, rotate the key."
      onClose={onClose}
    />
  );
}
