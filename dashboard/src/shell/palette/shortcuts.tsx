import { Kbd, Modal, Text } from '@mantine/core';
import './palette.css';

const SHORTCUTS: readonly (readonly [readonly string[], string])[] = [
  [['Ctrl', 'K'], 'Find anything, and run, pause, resume or verify a synchronization. On a Mac: ⌘ K'],
  [['?'], 'This list'],
  [['↑', '↓', 'Enter'], 'In the finder: choose, and go there'],
  [['←', '→', 'Enter'], 'In a chart: from bar to bar, and to what it counts'],
  [['Esc'], 'Close what is open'],
];

/** The keys that do something. */
export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="md">
      <dl className="shortcuts">
        {SHORTCUTS.map(([keys, about]) => (
          <Shortcut key={about} keys={keys} about={about} />
        ))}
      </dl>
    </Modal>
  );
}

function Shortcut({ keys, about }: { keys: readonly string[]; about: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <Kbd key={key} mr={4}>
            {key}
          </Kbd>
        ))}
      </dt>
      <Text component="dd" size="sm">
        {about}
      </Text>
    </>
  );
}
