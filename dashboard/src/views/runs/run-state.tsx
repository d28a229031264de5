import { Alert, Code, Stack, Text } from '@mantine/core';
import type { Run } from '../../api/resources.ts';
import { OutsideText } from '../../parts/outside-text.tsx';
import { WarningIcon } from '../../parts/icons.tsx';
import { recoveryWords } from './run-words.ts';

/** What a person has to know of a run that is not simply going on or done: why, and what to do. */
export function RunState({ run }: { run: Run }) {
  if (run.status === 'needs_approval') return <AsksApproval run={run} />;
  if (run.cancel_requested && run.status === 'running') {
    return (
      <Alert variant="outline" color="gray" className="surface" role="status" title="It was told to stop">
        It ends within seconds. What is written already stays; the next run goes on from there.
      </Alert>
    );
  }
  if (run.error === null) return null;
  const { message, hint, code } = run.error;
  const failed = run.status === 'failed';
  return (
    <Alert
      variant="outline"
      color={failed ? 'red' : 'orange'}
      className="surface"
      role="alert"
      icon={<WarningIcon />}
      title={failed ? 'The run failed' : run.status === 'retrying' ? 'The run did not get through yet' : 'What happened'}
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
      </Stack>
    </Alert>
  );
}

/** The guard has stopped it before it touched the target. */
function AsksApproval({ run }: { run: Run }) {
  const reasons = run.streams.flatMap(({ name, status, error }) => (status === 'needs_approval' && error ? [{ name, error }] : []));
  return (
    <Alert
      variant="outline"
      color="orange"
      className="surface"
      role="alert"
      icon={<WarningIcon />}
      title="This run waits for your approval"
    >
      <Stack gap={6}>
        {reasons.map(({ name, error }) => (
          <Text size="sm" key={name}>
            <OutsideText>{error.message}</OutsideText>
          </Text>
        ))}
        <Text size="sm">
          <strong>What to do: </strong>
          Approve it if that is right: it then does what it was stopped from doing. If not, cancel it and correct the source or the
          definition. The target is as it was.
        </Text>
      </Stack>
    </Alert>
  );
}
