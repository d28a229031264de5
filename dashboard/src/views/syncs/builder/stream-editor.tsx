import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useApi } from '../../../api/queries.ts';
import { faultsByField } from '../../../parts/faults.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { type Draft, type StreamDraft, streamInput } from './draft.ts';
import { FilterEditor } from './filter-editor.tsx';
import { MappingEditor } from './mapping-editor.tsx';
import { RowPreview } from './row-preview.tsx';
import { StreamOptions } from './stream-options.tsx';

interface StreamEditorProps {
  draft: Draft;
  stream: StreamDraft;
  /** What saving has found wrong with it, by place. */
  saved: ReadonlyMap<string, string>;
  onChange: (stream: StreamDraft) => void;
}

/** One stream: how it is written, which fields, which rows; and some rows as they would be written, while one types. */
export function StreamEditor({ draft, stream, saved, onChange }: StreamEditorProps) {
  const { sourceId, targetId } = draft;
  const found = useApi('GET /api/v1/datasync/sources/{id}/streams', {
    params: { id: sourceId },
    query: { q: stream.source.slice(0, 200), limit: 1000 },
  });
  const trial = useTrial(draft, stream);
  const live = [...faultsByField(trial.error)].map(([path, sentence]) => [path.replace('streams[0].', ''), sentence] as const);
  // What is tried now is newer than what saving has found.
  const faults = trial.isFetched ? new Map(live) : saved;
  const change = (part: Partial<StreamDraft>): void => onChange({ ...stream, ...part });
  return (
    <Loaded query={found}>
      {({ data }) => {
        const info = data.find(({ name }) => name === stream.source);
        if (!info) return <EmptyState title="It is not there.">The source has nothing of this name at this moment.</EmptyState>;
        return (
          <Stack gap="lg">
            {targetId === '' && (
              <Text size="sm" c="dimmed">
                Choose a target to see what is chosen for you, and how rows would be written.
              </Text>
            )}
            {faults.has('source') && (
              <Text size="sm" c="var(--mantine-color-error)">
                {faults.get('source')}
              </Text>
            )}
            <StreamOptions stream={stream} info={info} filled={trial.data?.data.streams[0]} faults={faults} onChange={change} />
            <MappingEditor stream={stream} info={info} faults={faults} onChange={(fields) => change({ fields })} />
            <FilterEditor stream={stream} info={info} faults={faults} onChange={(filter) => change({ filter })} />
            {targetId !== '' && <RowPreview trial={trial} />}
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** What the service makes of the stream as it stands, asked when the typing pauses. */
function useTrial({ sourceId, targetId, schemaChanges }: Draft, stream: StreamDraft) {
  const body = {
    source_id: sourceId,
    target_id: targetId,
    streams: [streamInput(stream)],
    schedule: { type: 'manual' as const },
    schema_changes: schemaChanges,
    sample_of: 0,
    limit: 8,
  };
  // Compared as text: the object is another one each time.
  const [settled] = useDebouncedValue(JSON.stringify(body), 400);
  return useApi('POST /api/v1/datasync/sync/check', { body: JSON.parse(settled) as typeof body }, { enabled: targetId !== '' });
}

export type Trial = ReturnType<typeof useTrial>;
