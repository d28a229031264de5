import { Anchor, Grid, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Run as RunData, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { formatDuration, formatMoment, plural } from '../../parts/words/format.ts';
import { FollowMark } from '../../parts/status/follow-mark.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { useShopScopes } from '../syncs/shop-scopes.ts';
import { lagWords } from '../syncs/live-words.ts';
import { RunActions } from './run-actions.tsx';
import { RunLogs } from './run-logs.tsx';
import { RunState } from './run-state.tsx';
import { RunStreams } from './run-streams.tsx';
import { modeWord, triggerWords } from './run-words.ts';
import { UndoRun } from './undo-run.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** One run: how far each stream is, what the log says, and what can be done. */
export function Run() {
  const { id = '' } = useParams();
  const query = useApi('GET /api/v1/datasync/runs/{id}', { params: { id } });
  return (
    <LoadedPage query={query} list={LISTS.runs}>
      {({ data }) => <RunPage key={data.id} known={data} />}
    </LoadedPage>
  );
}

/** What it was started by, where that has a page of its own. */
function TriggeredBy({ run: { triggered_by: by } }: { run: RunData }) {
  if (by === null) return null;
  const isHook = by.type !== 'run';
  return (
    <>
      :{' '}
      <Anchor component={Link} href={`/${isHook ? 'hooks' : 'runs'}/${by.id}`} inherit>
        {isHook ? 'a call of this hook' : 'the end of this run'}
      </Anchor>
    </>
  );
}

function RunPage({ known }: { known: RunData }) {
  const followed = useFollowedRun(known, isUnderWay(known.status));
  // What is over does not change any more: the first answer that says so is right.
  const run = isUnderWay(known.status) ? followed.run : known;
  const sync = useApi('GET /api/v1/datasync/sync/{id}', { params: { id: run.sync_id } });
  const underWay = isUnderWay(run.status);
  return (
    <>
      <PageHeader
        title={sync.data?.data.name ?? 'Run'}
        about={
          <>
            A run of{' '}
            <Anchor component={Link} href={`/syncs/${run.sync_id}`} inherit>
              this synchronization
            </Anchor>
            : {triggerWords(run)}
            <TriggeredBy run={run} />.
          </>
        }
        parent={LISTS.runs}
        actions={<RunActions run={run} sync={sync.data?.data} />}
      />
      <Stack gap="md">
        <RunState run={run} sync={sync.data?.data} />
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="md">
              {/* That all is well, the log beside it says. */}
              <Section
                title="Summary"
                actions={underWay && followed.connection !== 'connected' && <FollowMark connection={followed.connection} />}
              >
                <RunFacts run={run} />
              </Section>
              <RunStreams run={run} />
              {run.totals.rejected > 0 && <Rejected run={run} sync={sync.data?.data} />}
              <UndoRun run={run} sync={sync.data?.data} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <RunLogs id={run.id} underWay={underWay} />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}

function RunFacts({ run }: { run: RunData }) {
  const facts = [
    [
      'Status',
      <div key="status" role="status">
        <StatusBadge status={run.status} />
      </div>,
    ],
    ['Mode', run.live ? 'Live' : modeWord(run)],
    ['Lag', run.lag && lagWords(run.lag.seconds)],
    ['Attempt', run.attempt > 1 ? String(run.attempt) : undefined],
    ['Queued', <RelativeTime key="asked" time={run.created_at} />],
    ['Started', run.started_at === null ? undefined : <RelativeTime key="began" time={run.started_at} />],
    ['Next attempt', run.next_attempt_at === null ? undefined : <RelativeTime key="again" time={run.next_attempt_at} />],
    ['Finished', run.finished_at === null ? undefined : formatMoment(run.finished_at)],
    ['Duration', run.duration_ms === null || isUnderWay(run.status) ? undefined : formatDuration(run.duration_ms)],
  ] as const;
  return <Facts facts={facts} />;
}

/** Rejected rows: what that means, and the way to them. */
function Rejected({ run, sync }: { run: RunData; sync: Sync | undefined }) {
  const goOn = useGoOn();
  const { move } = useShopScopes(sync);
  return (
    <Section title="Rejected rows">
      <Text size="sm" mb="sm">
        {plural(run.totals.rejected, 'row was', 'rows were')} rejected; the others were written.{' '}
        <Anchor component={Link} href={`/syncs/${run.sync_id}?tab=rejects`} inherit>
          See the rows and the reasons
        </Anchor>
        , correct them, and retry.
      </Text>
      {!isUnderWay(run.status) && (
        <ActionButton
          operation="POST /api/v1/datasync/runs/{id}/rejects/retry"
          input={{ params: { id: run.id } }}
          scope={move}
          done="The rejected rows are being retried."
          onDone={({ data }) => goOn(`/runs/${data.id}`)}
        >
          Retry rejected rows
        </ActionButton>
      )}
    </Section>
  );
}
