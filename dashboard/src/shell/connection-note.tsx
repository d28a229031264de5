import { useDebouncedValue } from '@mantine/hooks';
import { useConnection } from '../api/changes.tsx';
import { Note } from '../parts/status/note.tsx';

/** Says so when the page no longer hears of changes. A short break is not worth a word. */
export function ConnectionNote() {
  const connection = useConnection();
  const [settled] = useDebouncedValue(connection, 1500);
  if (connection !== 'lost' || settled !== 'lost') return null;
  return (
    <Note tone="warning" mb="md" role="status" title="Not connected at the moment">
      Syncline cannot be reached, so what you see may be out of date. It may be restarting. The page connects again by itself.
    </Note>
  );
}
