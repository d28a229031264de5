import { Alert, Group, Stack, Table, Text } from '@mantine/core';
import { useApi } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { useLiveRun } from '../../api/use-live-run.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CellValue } from '../../parts/table/cell-value.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { Loaded } from '../../parts/page/loaded.tsx';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { Section } from '../../parts/page/section.tsx';
import { sentences } from '../../parts/words/sentence.ts';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './sync-actions.tsx';

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
  const { run } = useLiveRun(known, isUnderWay(known.status));
  if (isUnderWay(run.status)) return <RunProgress run={run} label="the preview" />;
  return (
    <Stack gap="lg">
      {run.error && (
        <Alert variant="outline" className="surface" color="red" title="The preview failed" role="alert">
          <OutsideText>{sentences(run.error.message, run.error.hint)}</OutsideText>
        </Alert>
      )}
      {run.streams.map((stream) => (
        <StreamChanges key={`${stream.name} ${stream.target}`} stream={stream} />
      ))}
    </Stack>
  );
}

function StreamChanges({ stream: { name, target, status, error, changes, rejected } }: { stream: Run['streams'][number] }) {
  const samples = changes?.samples ?? [];
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
      {samples.length > 0 && <Samples samples={samples} label={`Some changes of ${visible(name)}`} />}
    </Stack>
  );
}

type Sample = NonNullable<NonNullable<Run['streams'][number]['changes']>['samples']>[number];
const WORDS = { insert: 'Insert', update: 'Update', delete: 'Delete' } as const;

function Samples({ samples, label }: { samples: readonly Sample[]; label: string }) {
  const fields = Object.keys(samples[0]?.after ?? samples[0]?.before ?? {});
  return (
    <Table.ScrollContainer type="native" minWidth={120 + fields.length * 120} tabIndex={0} role="region" aria-label={label}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Change</Table.Th>
            {fields.map((field) => (
              <Table.Th key={field} scope="col">
                <OutsideText>{field}</OutsideText>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {samples.map((sample, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- samples have no name, and never change places
            <Table.Tr key={place}>
              <Table.Td>{WORDS[sample.change]}</Table.Td>
              {fields.map((field) => (
                <Table.Td key={field}>
                  <Change before={sample.before?.[field]} after={sample.after?.[field]} change={sample.change} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Change({ before, after, change }: { before: unknown; after: unknown; change: Sample['change'] }) {
  if (change === 'insert') return <CellValue value={after} />;
  if (change === 'delete') {
    return (
      <del>
        <CellValue value={before} />
      </del>
    );
  }
  if (before === after) {
    return (
      <Text span inherit c="dimmed">
        <CellValue value={after} />
      </Text>
    );
  }
  return (
    <>
      <del>
        <CellValue value={before} />
      </del>{' '}
      <ins>
        <CellValue value={after} />
      </ins>
    </>
  );
}
