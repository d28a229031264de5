import { Group, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { Section } from '../../parts/page/section.tsx';
import { sentences } from '../../parts/words/sentence.ts';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ChangedRows } from './changed-rows.tsx';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './run-button.tsx';
import { Note } from '../../parts/status/note.tsx';

/** What a run would change, row by row, before anything is changed. */
export function PreviewPanel({ sync }: { sync: Sync }) {
  const [chosen, choose] = useFilter('preview');
  const { look } = useShopScopes(sync);
  // A paused synchronization takes previews all the same.
  const unavailable = whyNoRun({ ...sync, status: 'active' });
  return (
    <Section
      title="What a run would change"
      about="Both ends are read and compared. Nothing is written."
      actions={
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/runs"
          input={{ params: { id: sync.id }, body: { mode: 'preview' } }}
          scope={look}
          unavailable={unavailable}
          onDone={({ data }) => choose(data.id)}
          look={{ variant: 'filled' }}
        >
          {chosen === '' ? 'Make a preview' : 'Make another preview'}
        </ActionButton>
      }
    >
      {chosen === '' ? (
        <EmptyState title="There is no preview yet.">
          A preview counts the rows that would be inserted, updated and deleted at the target, and shows some of each.
        </EmptyState>
      ) : (
        <Preview key={chosen} id={chosen} />
      )}
    </Section>
  );
}

function Preview({ id }: { id: string }) {
  const run = useApi('GET /api/v1/datasync/runs/{id}', { params: { id } });
  return <Loaded query={run}>{({ data }) => <Outcome known={data} />}</Loaded>;
}

function Outcome({ known }: { known: Run }) {
  const { run } = useFollowedRun(known, isUnderWay(known.status));
  if (isUnderWay(run.status)) return <RunProgress run={run} label="the preview" />;
  return (
    <Stack gap="lg">
      {run.error && (
        <Note tone="bad" title="The preview failed" role="alert">
          <OutsideText>{sentences(run.error.message, run.error.hint)}</OutsideText>
        </Note>
      )}
      {run.streams.map((stream) => (
        <StreamChanges key={`${stream.name} ${stream.target}`} stream={stream} />
      ))}
    </Stack>
  );
}

function StreamChanges({ stream: { name, target, status, error, changes, rejected } }: { stream: Run['streams'][number] }) {
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text fw={600} size="sm">
          <OutsideText>{name === target ? name : `${name} → ${target}`}</OutsideText>
        </Text>
        {error && <StatusBadge status={status} />}
      </Group>
      {error && (
        <Text size="sm">
          <OutsideText>{error.message}</OutsideText>
        </Text>
      )}
      {changes && (
        <Text size="sm" className="number">
          {formatCount(changes.inserted)} would be inserted, {formatCount(changes.updated)} updated, {formatCount(changes.deleted)} deleted;{' '}
          {formatCount(changes.unchanged)} unchanged{rejected > 0 && `; ${plural(rejected, 'row')} would be rejected`}.
        </Text>
      )}
      {changes && <ChangedRows name={name} changes={changes} />}
    </Stack>
  );
}
