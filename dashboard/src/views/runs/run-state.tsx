import { Alert, Anchor, Code, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Run, Sync } from '../../api/resources.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Note } from '../../parts/status/note.tsx';
import { useMay } from '../../shell/me.tsx';
import { hasMends, MendButtons } from '../syncs/mend/mend-buttons.tsx';
import { recoveryWords } from './run-words.ts';

/** What a person has to know of a run that is not simply going on or done: why, and what to do. */
export function RunState({ run, sync }: { run: Run; sync: Sync | undefined }) {
  const mayWrite = useMay()('datasync:write');
  if (run.status === 'needs_approval') return <AsksApproval run={run} />;
  if (run.cancel_requested && run.status === 'running') {
    return (
      <Alert variant="outline" color="gray" className="surface" role="status" title="It is being cancelled">
        It ends within seconds. What is written already stays; the next run goes on from there.
      </Alert>
    );
  }
  if (run.error === null) return null;
  const { kind, message, hint, code } = run.error;
  const failed = run.status === 'failed';
  return (
    <Note
      tone={failed ? 'bad' : 'warning'}
      role="alert"
      title={failed ? 'The run failed' : run.status === 'retrying' ? 'The run will be retried' : 'What happened'}
    >
      <Stack gap={6}>
        <Text size="sm">
          <OutsideText>{message}</OutsideText>
        </Text>
        {hint !== null && (
          <Text size="sm">
            <strong>What to do: </strong>
            <OutsideText>{hint}</OutsideText>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {recoveryWords(run.error, run)} <Code>{code}</Code>
        </Text>
        {sync && hasMends(run, sync) && <MendButtons run={run} sync={sync} />}
        {kind === 'config' && mayWrite && sync && !hasMends(run, sync) && (
          <Anchor component={Link} href={`/syncs/${run.sync_id}/edit`} size="sm">
            Edit the synchronization
          </Anchor>
        )}
      </Stack>
    </Note>
  );
}

/** The guard has stopped it. What is said of the run also tells which streams were written and which were not. */
function AsksApproval({ run }: { run: Run }) {
  const others = run.streams.flatMap(({ target, status, error }) =>
    status === 'needs_approval' && error && !run.error?.message.startsWith(error.message) ? [{ target, message: error.message }] : [],
  );
  const reasons = [...(run.error ? [{ target: '', message: run.error.message }] : []), ...others];
  return (
    <Note tone="warning" role="alert" title="This run waits for your approval">
      <Stack gap={6}>
        {reasons.map(({ target, message }) => (
          <Text size="sm" key={target}>
            <OutsideText>{message}</OutsideText>
          </Text>
        ))}
        <Text size="sm">
          <strong>What to do: </strong>
          Approve it if that is right: it then does what it was stopped from doing. If not, cancel it and correct the source or the
          definition.
        </Text>
      </Stack>
    </Note>
  );
}
