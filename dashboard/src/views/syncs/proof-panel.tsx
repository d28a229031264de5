import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Run, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Section } from '../../parts/page/section.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { formatCount, formatRows } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { sentences } from '../../parts/words/sentence.ts';
import { changeWords } from '../runs/run-words.ts';
import { StreamProof } from '../runs/stream-proof.tsx';
import { ProofHistory } from './proof-history.tsx';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './run-button.tsx';
import { Note } from '../../parts/status/note.tsx';

const FOUND = { equal: 'Verified equal', differs: 'Verified: the target differs', changing: 'Verified while rows were changing' } as const;

/** "Verified equal 3 minutes ago, 1,000,000 rows". */
export function VerifiedLine({ verified }: { verified: NonNullable<Sync['verified']> }) {
  const { result, at, rows, missing, extra, different, run_id, since } = verified;
  return (
    <Text size="sm" data-proof={result}>
      <Anchor component={Link} href={`/runs/${run_id}`} inherit {...(result === 'differs' && !since && { c: 'var(--status-bad)' })}>
        {FOUND[result]}
      </Anchor>{' '}
      <RelativeTime time={at} isPast />, {formatRows(rows)}
      {result === 'differs' &&
        `: ${formatCount(missing)} missing, ${formatCount(extra)} only at the target, ${formatCount(different)} different`}
      .
      {since && (
        <>
          {' '}
          <Anchor component={Link} href={`/runs/${since.run_id}`} inherit>
            {since.by === 'undo' ? 'A run was undone' : 'A run has written'}
          </Anchor>{' '}
          <RelativeTime time={since.at} isPast />: whether it still holds is not known.
        </>
      )}
    </Text>
  );
}

/** Compares both ends, shows what differs, and writes it. */
export function ProofPanel({ sync }: { sync: Sync }) {
  const [asked, choose] = useFilter('proof');
  const { look, move } = useShopScopes(sync);
  const chosen = asked === '' ? (sync.verified?.run_id ?? '') : asked;
  const path = { params: { id: sync.id } };
  // What only reads can be done while it is paused, too.
  const busy = whyNoRun({ ...sync, status: 'active' });
  const onDone = ({ data }: { data: Run }): void => choose(data.id);
  return (
    <Stack gap="md">
      <Section
        title="Does the target have what the source has?"
        about={
          sync.verify
            ? `Both ends are compared by themselves every ${sync.verify.every}.`
            : 'Both ends are read and compared, row by row, through the mapping. Nothing is written.'
        }
        actions={
          <Group gap="sm">
            <ActionButton
              operation="POST /api/v1/datasync/sync/{id}/runs"
              input={{ ...path, body: { mode: 'verify' } }}
              scope={look}
              unavailable={busy}
              onDone={onDone}
              look={{ variant: 'filled' }}
            >
              Verify
            </ActionButton>
            <ActionButton
              operation="POST /api/v1/datasync/sync/{id}/runs"
              input={{ ...path, body: { mode: 'repair_preview' } }}
              scope={look}
              unavailable={busy}
              onDone={onDone}
            >
              Preview repair
            </ActionButton>
            <ActionButton
              operation="POST /api/v1/datasync/sync/{id}/runs"
              input={{ ...path, body: { mode: 'repair' } }}
              scope={move}
              unavailable={whyNoRun(sync)}
              onDone={onDone}
              confirm={{
                title: 'Repair the target?',
                about: 'Both ends are compared, and the rows that differ are written as the source has them. No other row is touched.',
              }}
            >
              Repair
            </ActionButton>
          </Group>
        }
      >
        {chosen === '' ? (
          <EmptyState title="Nothing has been compared yet.">
            A verify counts the rows that are missing, extra or different at the target, and shows some with the values of both ends.
          </EmptyState>
        ) : (
          <Proof key={chosen} id={chosen} />
        )}
      </Section>
      <ProofHistory sync={sync} />
    </Stack>
  );
}

function Proof({ id }: { id: string }) {
  const run = useApi('GET /api/v1/datasync/runs/{id}', { params: { id } });
  return <Loaded query={run}>{({ data }) => <Found known={data} />}</Loaded>;
}

function Found({ known }: { known: Run }) {
  const { run } = useFollowedRun(known, isUnderWay(known.status));
  if (isUnderWay(run.status) && run.status !== 'needs_approval') return <RunProgress run={run} label="the comparison" />;
  return (
    <Stack gap="lg">
      {run.error && (
        <Note
          tone={run.status === 'needs_approval' ? 'warning' : 'bad'}
          title={run.status === 'needs_approval' ? 'The repair needs your approval' : 'It failed'}
          role="alert"
        >
          <OutsideText>{sentences(run.error.message, run.error.hint)}</OutsideText>{' '}
          <Anchor component={Link} href={`/runs/${run.id}`} inherit>
            See the run
          </Anchor>
          .
        </Note>
      )}
      {run.streams.map((stream) => (
        <StreamFound key={stream.target} stream={stream} mode={run.mode} />
      ))}
    </Stack>
  );
}

function StreamFound({ stream, mode }: { stream: Run['streams'][number]; mode: Run['mode'] }) {
  const { name, target, status, error, proof, changes } = stream;
  const done = mode === 'repair' ? changeWords({ ...stream, unchanged: 0 }) : '';
  const would = changes && changeWords({ ...changes, unchanged: 0, rejected: 0 });
  return (
    <Stack gap={4}>
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
      {done !== '' && <Text size="sm">Repaired: {done}.</Text>}
      {would !== undefined && <Text size="sm">A repair would change: {would === '' ? 'nothing' : would}.</Text>}
      {proof && <StreamProof name={name} proof={proof} />}
    </Stack>
  );
}
