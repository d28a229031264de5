import { Anchor, Box, Button, Stack, Text } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { useFollowedRuns } from '../../api/use-followed-run.ts';
import { Note } from '../../parts/status/note.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { rateOf } from '../../parts/status/run-rate.ts';
import { HealthBadge, toneColor } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCompact, formatCount, formatRate } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { useMay } from '../../shell/me.tsx';
import { byUrgency, reasonOf } from '../overview/attention.ts';
import { useConnectors } from '../sources/connectors.ts';
import { isLive, lagWords } from '../syncs/live-words.ts';
import { useSources } from '../syncs/source-names.ts';
import { planOf, type SharedTable, sharedTables } from './map-layout.ts';
import { MapPicture, type MapWords } from './map-picture.tsx';

/** More than this is no picture any more. */
const MOST = 40;

/** Everything that is kept in sync, as a picture that follows what happens, and as a list. */
export function SyncMap() {
  const all = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  // Ids in place of names would make the picture and the list jump.
  const { isPending } = useSources();
  const syncs = isPending ? { ...all, data: undefined } : all;
  return (
    <>
      <PageHeader title="Map" about="Where data comes from, where it goes, what flows at this moment, and what is late." />
      <Loaded query={syncs}>{({ data, total }) => (total === 0 ? <NothingYet /> : <Drawn syncs={data} total={total} />)}</Loaded>
    </>
  );
}

function NothingYet() {
  const may = useMay();
  return (
    <EmptyState
      title="There is nothing to draw yet."
      actions={
        may('datasync:write') && (
          <Button component={Link} href="/syncs/new">
            New synchronization
          </Button>
        )
      }
    >
      Every synchronization is a line here, from the source that it reads to the target that it writes.
    </EmptyState>
  );
}

function Drawn({ syncs, total }: { syncs: readonly Sync[]; total: number }) {
  const shown = syncs.toSorted(byUrgency).slice(0, MOST);
  const words = useMapWords(shown);
  const about =
    total > MOST
      ? `${MOST} of ${formatCount(total)}, those first that need attention`
      : 'The wider a line, the more was read in the last 24 hours';
  return (
    <Stack gap="md">
      <SharedTables shared={sharedTables(syncs)} nameOf={words.nameOf} />
      <Box visibleFrom="sm">
        <Section title="The picture" about={about}>
          <MapPicture plan={planOf(shown)} words={words} />
        </Section>
      </Box>
      <Section title="As a list" flush>
        <DataTable
          label="Synchronizations"
          columns={columnsOf(words)}
          rows={shown}
          rowKey={({ id }) => id}
          href={({ id }) => `/syncs/${id}`}
          empty={null}
        />
      </Section>
    </Stack>
  );
}

function columnsOf({ nameOf, flowOf }: MapWords): readonly Column<Sync>[] {
  const end = (id: string) => (
    <Anchor component={Link} href={`/sources/${id}`} size="sm" underline="hover">
      <OutsideText>{nameOf(id)}</OutsideText>
    </Anchor>
  );
  return [
    { header: 'Synchronization', cell: ({ name }) => <OutsideText>{name}</OutsideText> },
    { header: 'Health', cell: (sync) => <HealthBadge health={sync.health} reason={reasonOf(sync)} />, width: 150 },
    { header: 'From', cell: ({ source_id }) => end(source_id), width: 180 },
    { header: 'To', cell: ({ target_id }) => end(target_id), width: 180 },
    { header: 'Flow', cell: (sync) => flowOf(sync), width: 190, phone: 'bare' },
  ];
}

function useMapWords(syncs: readonly Sync[]): MapWords {
  const { sources, nameOf } = useSources();
  const { titleOf } = useConnectors();
  const metrics = useApi('GET /api/v1/datasync/metrics', { query: { window: '24h' } });
  const incidents = useApi('GET /api/v1/incidents', { query: { status: 'open', limit: 1000 } });
  // Of what is live the lag tells more, once it is loaded.
  const running = useFollowedRuns(
    syncs.flatMap(({ health, current_run: run }) => (run?.status === 'running' && (!run.live || health === 'loading') ? [run] : [])),
  );
  const now = new Map(running.map((run) => [run.sync_id, run]));
  const types = new Map(sources?.map(({ id, type }) => [id, type]));
  const read = new Map(metrics.data?.data.syncs.map(({ sync_id, rows }) => [sync_id, rows.read]));
  const late = new Set(incidents.data?.data.flatMap(({ rule, object_id }) => (rule === 'late' ? [object_id] : [])));
  // What a run reads counts at once, and not only when it is over.
  const readOf = (id: string): number => (read.get(id) ?? 0) + (now.get(id)?.totals.read ?? 0);
  const most = Math.max(1, ...syncs.map(({ id }) => readOf(id)));
  return {
    nameOf,
    typeOf: (id) => titleOf(types.get(id) ?? ''),
    flowOf: (sync) => {
      const run = now.get(sync.id);
      const flow = run
        ? nowWords(run)
        : isLive(sync) && sync.lag
          ? lagWords(sync.lag.seconds)
          : `${formatCompact(readOf(sync.id))} rows in 24 h`;
      return late.has(sync.id) ? `late · ${flow}` : flow;
    },
    // By the logarithm: a thousand rows are seen beside a million.
    shareOf: ({ id }) => Math.log1p(readOf(id)) / Math.log1p(most),
    toneOf: ({ id, health }) => toneColor(late.has(id) ? 'failing' : health),
  };
}

/** What flows at this moment: how fast, and how much it was so far. */
function nowWords(run: Run): string {
  const [rate, read] = [rateOf(run), formatCompact(run.totals.read)];
  return rate > 0 ? `${formatRate(rate)}, ${read} read` : `${read} rows read so far`;
}

/** Two that write one table may undo each other's work. */
function SharedTables({ shared, nameOf }: { shared: readonly SharedTable[]; nameOf: (id: string) => string }) {
  if (shared.length === 0) return null;
  return (
    <Note tone="warning" title="Several synchronizations write one table" role="status">
      {shared.map(({ targetId, table, syncs }) => (
        <Text size="sm" key={JSON.stringify([targetId, table])}>
          <OutsideText>{table}</OutsideText> at <OutsideText>{nameOf(targetId)}</OutsideText> is written by{' '}
          {syncs.map(({ id, name }, place) => (
            <Fragment key={id}>
              {place > 0 && (place === syncs.length - 1 ? ' and ' : ', ')}
              <Anchor component={Link} href={`/syncs/${id}`} size="sm">
                <OutsideText>{name}</OutsideText>
              </Anchor>
            </Fragment>
          ))}
          . What one writes another may overwrite or delete; give each a table of its own.
        </Text>
      ))}
    </Note>
  );
}
