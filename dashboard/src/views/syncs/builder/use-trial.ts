import { useDebouncedValue } from '@mantine/hooks';
import { useParams } from 'wouter';
import { useApi } from '../../../api/queries.ts';
import { type SyncDraft, type StreamDraft, streamInput } from './draft.ts';

/** What the service makes of the stream as it stands, asked when the typing pauses. */
export function useTrial({ sourceId, targetId, schemaChanges, live }: SyncDraft, stream: StreamDraft) {
  // Of one that is changed: what it writes itself is nothing to be warned of.
  const { id } = useParams();
  const body = {
    ...(id !== undefined && { sync_id: id }),
    source_id: sourceId,
    target_id: targetId,
    streams: [streamInput(stream, live)],
    schedule: { type: live ? ('on_change' as const) : ('manual' as const) },
    schema_changes: schemaChanges,
    sample_of: 0,
    limit: 8,
  };
  // Compared as text: the object is another one each time.
  const [settled] = useDebouncedValue(JSON.stringify(body), 400);
  return useApi('POST /api/v1/datasync/sync/check', { body: JSON.parse(settled) as typeof body }, { enabled: targetId !== '' });
}

export type Trial = ReturnType<typeof useTrial>;
