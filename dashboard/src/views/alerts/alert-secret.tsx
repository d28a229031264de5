import { ShownOnce } from '../../parts/action/shown-once.tsx';
import { visible } from '../../parts/words/outside-text.tsx';

/** An alert whose signing secret was made just now. */
export interface MadeSecret {
  id: string;
  name: string;
  secret: string;
}

/** Shows what signs the messages of an alert, this once. */
export function AlertSecret({ made: { name, secret }, onClose }: { made: MadeSecret; onClose: () => void }) {
  return (
    <ShownOnce
      title={`The secret of ${visible(name)}`}
      values={{ 'Signing secret': secret }}
      about="It is shown this once: the receiver needs it to know that a message comes from here. If it is lost, edit the alert and remove it: another is made."
      onClose={onClose}
    />
  );
}
