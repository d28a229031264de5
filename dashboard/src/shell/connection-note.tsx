import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useConnection } from '../api/changes.tsx';
import { NoteIcon } from '../parts/status/status-shape.tsx';

/** Says so when the page no longer hears of changes. A short break is not worth a word. */
export function ConnectionNote() {
  const connection = useConnection();
  const [settled] = useDebouncedValue(connection, 1500);
  if (connection !== 'lost' || settled !== 'lost') return null;
  return (
    <Alert
      variant="outline"
      color="orange"
      mb="md"
      role="status"
      className="surface"
      icon={<NoteIcon tone="warning" />}
      title="Not connected at the moment"
    >
      Syncline cannot be reached, so what you see may be out of date. It may be restarting. The page connects again by itself.
    </Alert>
  );
}
