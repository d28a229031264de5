import { Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useApi } from '../../../api/queries.ts';
import { Note } from '../../../parts/status/note.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { SyncDraft } from './draft.ts';

/** Milliseconds that nothing more is chosen. */
const PAUSE = 700;

/** Says before it is saved that another synchronization writes the same tables. */
export function SharedTables({
  draft: { sourceId, targetId, streams, schemaChanges },
  self,
}: {
  draft: SyncDraft;
  self?: string | undefined;
}) {
  const syncs = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  // Most targets are written to by one alone: then nothing is asked of the systems.
  const hasOthers = syncs.data?.data.some(({ id, target_id }) => target_id === targetId && id !== self) === true;
  const body = {
    ...(self !== undefined && { sync_id: self }),
    source_id: sourceId,
    target_id: targetId,
    // How they are read does not matter here; what is wrong with it is said elsewhere.
    streams: streams.map(({ source, target }) => ({ source, ...(target !== undefined && target !== '' && { target }) })),
    schedule: { type: 'manual' as const },
    schema_changes: schemaChanges,
  };
  const [settled] = useDebouncedValue(JSON.stringify(body), PAUSE);
  const isAsked = hasOthers && sourceId !== '' && streams.length > 0;
  const { data } = useApi('POST /api/v1/datasync/sync/check', { body: JSON.parse(settled) as typeof body }, { enabled: isAsked });
  if (!isAsked || !data || data.data.warnings.length === 0) return null;
  return (
    <Stack gap="xs" role="status">
      {data.data.warnings.map((warning) => (
        <Note tone="warning" key={warning} role="presentation">
          <OutsideText>{warning}</OutsideText>
        </Note>
      ))}
    </Stack>
  );
}
