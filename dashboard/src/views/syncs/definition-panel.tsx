import { Anchor, Stack, Text } from '@mantine/core';
import { Fragment, Suspense } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { formatMoment, plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { useMay } from '../../shell/me.tsx';
import { everyWords, scheduleWords } from './schedule-words.ts';
import { isLive } from './live-words.ts';
import { DELETE_WORDS, GAP_WORDS, MODE_WORDS, REJECT_WORDS, SCHEMA_WORDS } from './words.ts';

type Stream = Sync['streams'][number];

const Versions = lazyPart(async () => (await import('./versions-section.tsx')).VersionsSection);
const Yaml = lazyPart(async () => (await import('./sync-yaml.tsx')).SyncYaml);

const COLUMNS: readonly Column<Stream>[] = [
  { header: 'Source', cell: ({ source }) => <OutsideText>{source}</OutsideText> },
  { header: 'Target', cell: ({ target }) => <OutsideText>{target}</OutsideText> },
  { header: 'Mode', cell: ({ mode }) => MODE_WORDS[mode] },
  { header: 'Key', cell: ({ key }) => <Text inherit>{key.length === 0 ? '–' : <OutsideText>{key.join(', ')}</OutsideText>}</Text> },
  { header: 'Cursor', cell: ({ cursor }) => (cursor === null ? '–' : <OutsideText>{cursor}</OutsideText>) },
  { header: 'Fields', cell: ({ fields }) => (fields === null ? 'all' : plural(fields.length, 'field')) },
  {
    header: 'Filter',
    cell: ({ filter }) => (filter.length === 0 ? '–' : <OutsideText>{filter.map(filterWords).join(' and ')}</OutsideText>),
  },
  { header: 'Deleted rows', cell: ({ deletes }) => DELETE_WORDS[deletes] },
];

/** What it is told to do, complete. */
export function DefinitionPanel({ sync }: { sync: Sync }) {
  const { nameOf } = useSyncNames();
  return (
    <Stack gap="md">
      <Section
        title="Streams"
        actions={<CurlButton operation="GET /api/v1/datasync/sync/{id}" input={{ params: { id: sync.id } }} />}
        flush
      >
        <DataTable
          label="Streams"
          columns={COLUMNS}
          rows={sync.streams}
          rowKey={({ source, target }) => `${source} ${target}`}
          empty={<EmptyState title="It has no streams." />}
        />
      </Section>
      <Section title="Settings">
        <Facts
          facts={[
            ['Schedule', isLive(sync) ? 'Live: it follows its source all the time' : scheduleWords(sync.schedule, nameOf)],
            ['Followed by', <Followers key="followers" id={sync.id} />],
            ['Hooks', <Hooks key="hooks" id={sync.id} />],
            ['Expected', sync.expect_every === null ? 'Nothing' : `A run that succeeds ${everyWords(sync.expect_every).toLowerCase()}`],
            ['Rejected rows', REJECT_WORDS[sync.on_reject]],
            ['Schema changes', SCHEMA_WORDS[sync.schema_changes]],
            [
              'Guard',
              `A ${isLive(sync) ? 'transaction or a load' : 'run'} that would delete more than ${sync.guard.max_delete_percent}% of the target${
                sync.guard.allow_empty ? '' : ', or finds no rows where there were some,'
              } needs approval.`,
            ],
            ['When changes are lost', isLive(sync) ? GAP_WORDS[sync.on_gap ?? 'load'] : undefined],
            ['Log kept at the source', isLive(sync) ? `${sync.max_retained} at most` : undefined],
            [
              'Verify',
              sync.verify === null ? 'Only when it is asked for' : `Both ends are compared ${everyWords(sync.verify.every).toLowerCase()}`,
            ],
            ['Undo', sync.undo == null ? 'Nothing is kept' : `What runs replace is kept for ${sync.undo.keep}`],
            ['Id', sync.id],
            ['Created', formatMoment(sync.created_at)],
            ['Updated', formatMoment(sync.updated_at)],
          ]}
        />
      </Section>
      <Suspense>
        <Versions sync={sync} />
        <Yaml id={sync.id} />
      </Suspense>
    </Stack>
  );
}

/** The synchronizations that run after this one. */
function Followers({ id }: { id: string }) {
  const { data } = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  const followers = data?.data.filter(({ schedule }) => schedule.type === 'after' && schedule.sync_id === id) ?? [];
  return followers.length === 0 ? 'none' : <Links of={followers} under="/syncs" />;
}

/** The addresses whose calls start it. */
function Hooks({ id }: { id: string }) {
  const may = useMay();
  const { data } = useApi('GET /api/v1/datasync/hooks', { query: { limit: 1000 } });
  const hooks = data?.data.filter(({ sync_id }) => sync_id === id) ?? [];
  if (hooks.length > 0) return <Links of={hooks} under="/hooks" />;
  if (!may('datasync:write')) return 'none';
  return (
    <>
      none;{' '}
      <Anchor component={Link} href={`/hooks/new?sync=${id}`} size="sm">
        add one
      </Anchor>{' '}
      so that another system can start it
    </>
  );
}

function Links({ of: things, under }: { of: readonly { id: string; name: string }[]; under: string }) {
  return things.map(({ id, name }, place) => (
    <Fragment key={id}>
      {place > 0 && ', '}
      <Anchor component={Link} href={`${under}/${id}`} size="sm">
        <OutsideText>{name}</OutsideText>
      </Anchor>
    </Fragment>
  ));
}

function filterWords({ field, op, value }: Stream['filter'][number]): string {
  if (op === 'is_null') return `${field} is null`;
  if (op === 'not_null') return `${field} is not null`;
  return `${field} ${op} ${Array.isArray(value) ? value.join(', ') : (value ?? '')}`;
}
