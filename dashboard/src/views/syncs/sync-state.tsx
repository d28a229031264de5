import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Run, Stream, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { formatCount, formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { Section } from '../../parts/page/section.tsx';
import { sentences } from '../../parts/words/sentence.ts';
import { HealthBadge } from '../../parts/status/status.tsx';
import { useMay } from '../../shell/me.tsx';
import { reasonOf } from '../overview/attention.ts';
import { isLive } from './live-words.ts';
import { hasMends, MendButtons } from './mend/mend-buttons.tsx';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './run-button.tsx';
import { Note } from '../../parts/status/note.tsx';

/** Its health and the reason, and what to do where something is to be done. */
export function SyncState({ sync, onRejects }: { sync: Sync; onRejects: () => void }) {
  const { health, health_reason, current_run: run, last_run } = sync;
  if (run?.status === 'needs_approval') return <Approval run={run} sync={sync} />;
  const failure = health === 'failing' ? (run ?? last_run) : null;
  return (
    <Section
      title="Health"
      actions={health === 'degraded' && health_reason.includes('/rejects') && <RejectsButtons sync={sync} onSee={onRejects} />}
    >
      <Stack gap="xs">
        <Group gap="sm" align="flex-start" style={{ rowGap: 2 }}>
          <HealthBadge health={health} />
          <Text size="sm" style={{ flex: '1 1 36ch' }}>
            <OutsideText>{reasonWords(sync)}</OutsideText>
          </Text>
        </Group>
        {failure && <Failure run={failure} sync={sync} />}
        {run && !isFollowed(run) && <Current run={run} />}
      </Stack>
    </Section>
  );
}

/** What is live runs all the time: how far its streams are is told below. */
function isFollowed({ live, status }: Run): boolean {
  return live === true && status === 'running';
}

/** The reason with its times as the clock of this browser tells them. */
function reasonWords(sync: Sync): string {
  return reasonOf(sync).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatMoment);
}

function RejectsButtons({ sync, onSee }: { sync: Sync; onSee: () => void }) {
  const { move } = useShopScopes(sync);
  return (
    <>
      <Button size="xs" variant="default" onClick={onSee}>
        See the rejected rows
      </Button>
      <ActionButton
        operation="POST /api/v1/datasync/sync/{id}/rejects/retry"
        input={{ params: { id: sync.id } }}
        scope={move}
        unavailable={whyNoRun(sync)}
        done="The rows are being retried."
        look={{ size: 'xs' }}
      >
        Retry these rows
      </ActionButton>
    </>
  );
}

function Current({ run: known }: { run: Run }) {
  const { run } = useFollowedRun(known);
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm">
          <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
            {run.mode === 'preview' ? 'Current preview' : 'Current run'}
          </Anchor>
          {run.started_at !== null && (
            <Text span size="sm" c="dimmed">
              {' '}
              started <RelativeTime time={run.started_at} />
            </Text>
          )}
        </Text>
        <ActionButton
          operation="POST /api/v1/datasync/runs/{id}/cancel"
          input={{ params: { id: run.id } }}
          scope="datasync:write"
          done="It stops within seconds. What is written stays."
          unavailable={run.cancel_requested ? 'It is about to stop.' : undefined}
          look={{ size: 'xs' }}
        >
          Cancel the run
        </ActionButton>
      </Group>
      <RunProgress run={run} label="the run" />
    </div>
  );
}

/** What went wrong, and where it can be corrected. */
function Failure({ run, sync }: { run: Run; sync: Sync }) {
  const mayChange = useShopScopes(sync).move.every(useMay());
  // What the reason says already is not said twice.
  const said = reasonOf(sync);
  const unsaidOf = ({ error }: Stream): string =>
    sentences(...[error?.message, error?.hint].filter((word) => word != null && !said.includes(word)));
  const offers = hasMends(run, sync);
  const errors = offers
    ? []
    : run.streams.map((stream) => ({ name: stream.name, words: unsaidOf(stream) })).filter(({ words }) => words !== '');
  return (
    <Stack gap={4}>
      {errors.map(({ name, words }) => (
        <Text size="sm" key={name}>
          <OutsideText>{name}</OutsideText>: <OutsideText>{words}</OutsideText>
        </Text>
      ))}
      {run.next_attempt_at !== null && (
        <Text size="sm">
          Next attempt <RelativeTime time={run.next_attempt_at} />.
        </Text>
      )}
      {offers && <MendButtons run={run} sync={sync} reasonOf={unsaidOf} />}
      <Text size="sm" c="dimmed">
        {offers ? (
          <Then sync={sync} />
        ) : (
          <>
            Correct it at{' '}
            <Anchor component={Link} href={`/sources/${sync.source_id}`} size="sm">
              the source
            </Anchor>{' '}
            or{' '}
            <Anchor component={Link} href={`/sources/${sync.target_id}`} size="sm">
              the target
            </Anchor>
            {mayChange && (
              <>
                , or{' '}
                <Anchor component={Link} href={`/syncs/${sync.id}/edit`} size="sm">
                  edit the synchronization
                </Anchor>
              </>
            )}
            , {isLive(sync) ? 'and it goes on by itself' : 'then run it again'}.
          </>
        )}{' '}
        For more, see{' '}
        <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
          the run and its log
        </Anchor>
        .
      </Text>
    </Stack>
  );
}

function Then({ sync }: { sync: Sync }) {
  return isLive(sync) ? 'Once it is corrected, it goes on by itself.' : 'Once it is corrected, run it again.';
}

/** A run that the guard has stopped: what it would do, and the two ways on. */
function Approval({ run, sync }: { run: Run; sync: Sync }) {
  const { move } = useShopScopes(sync);
  const input = { params: { id: run.id } };
  return (
    <Note tone="warning" title="A run waits for your approval" role="alert">
      <Stack gap="xs">
        <Text size="sm">
          <OutsideText>{reasonOf(sync)}</OutsideText>
        </Text>
        {run.streams
          .filter(({ changes }) => changes !== undefined)
          .map(({ name, changes }) => (
            <Text size="sm" key={name} className="number">
              <OutsideText>{name}</OutsideText>: {formatCount(changes?.inserted ?? 0)} rows would be inserted,{' '}
              {formatCount(changes?.updated ?? 0)} updated, {formatCount(changes?.deleted ?? 0)} deleted.
            </Text>
          ))}
        <Group gap="xs">
          <ActionButton
            operation="POST /api/v1/datasync/runs/{id}/approve"
            input={input}
            scope={move}
            done="Approved: the run goes on."
            look={{ variant: 'filled' }}
            confirm={{
              title: 'Approve what the run would change?',
              about: 'The run does at the target what it was stopped from doing. What it deletes there is gone.',
            }}
          >
            Approve
          </ActionButton>
          <ActionButton
            operation="POST /api/v1/datasync/runs/{id}/cancel"
            input={input}
            scope="datasync:write"
            done={
              run.live ? 'Cancelled and paused: the target is left as it is.' : 'Cancelled: what it was stopped from doing is not done.'
            }
          >
            Cancel the run
          </ActionButton>
          <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
            See the run
          </Anchor>
        </Group>
      </Stack>
    </Note>
  );
}
