import { Button, Group, Stack, Text } from '@mantine/core';
import { useApi } from '../../../api/queries.ts';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { faultsByField } from '../../../parts/form/faults.ts';
import { Note } from '../../../parts/status/note.tsx';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { PageSkeleton } from '../../../parts/page/page-skeleton.tsx';
import { type SyncDraft, fieldsNamedIn, type StreamDraft } from './draft.ts';
import { FilterEditor } from './filter-editor.tsx';
import { MappingEditor } from './mapping-editor.tsx';
import { useRenamed } from '../mend/use-renamed.ts';
import { RowPreview } from './row-preview.tsx';
import { showPlace } from './show-place.ts';
import { StreamOptions } from './stream-options.tsx';
import { useTrial } from './use-trial.ts';

interface StreamEditorProps {
  draft: SyncDraft;
  stream: StreamDraft;
  /** What saving has found wrong with it, by place. */
  saved: ReadonlyMap<string, string>;
  /** The place within it that the user was led to, such as `.fields[3]`; empty for the whole of it. */
  led?: string | undefined;
  onChange: (stream: StreamDraft) => void;
  onRemove: () => void;
}

/** One stream: how it is written, which fields, which rows; and some rows as they would be written, while one types. */
export function StreamEditor({ draft, stream, saved, led, onChange, onRemove }: StreamEditorProps) {
  const { sourceId, targetId } = draft;
  const found = useApi('GET /api/v1/datasync/sources/{id}/streams', {
    params: { id: sourceId },
    query: { q: stream.source.slice(0, 200), limit: 1000 },
  });
  const trial = useTrial(draft, stream);
  const tried = [...faultsByField(trial.error)].map(([path, sentence]) => [path.replace('streams[0].', ''), sentence] as const);
  // What is tried is this stream alone: that another one is written to the same place is found by saving.
  const faults = new Map([...saved, ...tried]);
  const change = (part: Partial<StreamDraft>): void => onChange({ ...stream, ...part });
  if (!found.data && !found.error) return <PageSkeleton />;
  const named = (spelled: (name: string) => string) => found.data?.data.find(({ name }) => spelled(name) === spelled(stream.source));
  // Some systems take upper and lower case in names for the same.
  const info = named((name) => name) ?? named((name) => name.toLowerCase());
  if (found.data && !info)
    return (
      <Gone
        draft={draft}
        stream={stream}
        isLed={led !== undefined}
        onUse={(source) => change({ source, target: stream.target ?? stream.source })}
        onRemove={onRemove}
      />
    );
  // While the source cannot be asked, what is written here already is all that is known of its fields.
  const fields = info ?? fieldsNamedIn(stream);
  return (
    <Stack gap="lg">
      {found.error && <ErrorState error={found.error} title="The source cannot be asked for its fields" retry={found.refetch} />}
      {targetId === '' && (
        <Text size="sm" c="dimmed">
          Choose a target to see what is chosen automatically, and how rows would be written.
        </Text>
      )}
      {['source', ...(draft.live ? ['mode'] : [])].map(
        (member) =>
          faults.has(member) && (
            <Text key={member} size="sm" c="var(--mantine-color-error)">
              <OutsideText>{faults.get(member) ?? ''}</OutsideText>
            </Text>
          ),
      )}
      <StreamOptions
        stream={stream}
        info={fields}
        filled={trial.data?.data.streams[0]}
        live={draft.live}
        faults={faults}
        onChange={change}
      />
      {trial.data?.data.warnings.map((warning) => (
        <Note tone="warning" key={warning}>
          <OutsideText>{warning}</OutsideText>
        </Note>
      ))}
      <MappingEditor led={led} stream={stream} info={fields} faults={faults} onChange={(mapped) => change({ fields: mapped })} />
      <FilterEditor stream={stream} info={fields} faults={faults} onChange={(filter) => change({ filter })} />
      {targetId !== '' && info && <RowPreview trial={trial} stream={stream} />}
    </Stack>
  );
}

interface GoneProps {
  draft: SyncDraft;
  stream: StreamDraft;
  /** The user was led here: what helps has the focus. */
  isLed: boolean;
  onUse: (source: string) => void;
  onRemove: () => void;
}

/** What the source does not have any more, and the ways on from there. */
function Gone({ draft, stream, isLed, onUse, onRemove }: GoneProps) {
  const { name } = useRenamed(draft, stream);
  return (
    <Note tone="warning" title="The source has nothing of this name">
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ flex: '1 1 30ch' }}>
          {name === undefined ? (
            'It may have been deleted or renamed, or may not be read any more. Remove it here and save, and the others go on.'
          ) : (
            <>
              It seems to be called <OutsideText>{name}</OutsideText> now, which has the same fields. Use that, or remove it here; then
              save.
            </>
          )}{' '}
          What is at the target stays.
        </Text>
        <Group gap="xs">
          {name !== undefined && (
            <Button size="xs" onClick={() => onUse(name)} ref={isLed ? showPlace : undefined}>
              Use {visible(name)}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={onRemove} ref={isLed && name === undefined ? showPlace : undefined}>
            Remove it
          </Button>
        </Group>
      </Group>
    </Note>
  );
}
