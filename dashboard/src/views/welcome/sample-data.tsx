import { Box, Button, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { Link } from 'wouter';
import type { Run, Sync } from '../../api/resources.ts';
import { useFollowedRun } from '../../api/use-followed-run.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { formatDuration, formatRows } from '../../parts/words/format.ts';
import { CheckIcon } from '../../parts/icons.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { Section } from '../../parts/page/section.tsx';
import { isUnderWay, StatusBadge } from '../../parts/status/status.tsx';
import { type Step, useSample } from './sample.ts';

/** One button that sets up an example and lets it run, step by step before one's eyes. */
export function SampleData() {
  const { state, steps, error, sync, run, start } = useSample();
  return (
    <Section
      title="Try it with sample data"
      about="A small shop is written as files and kept in sync with a database. Your own data is not touched."
    >
      <Stack gap="sm">
        <Stack component="ol" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
          {steps.map((step, place) => (
            <SampleStep key={step.title} step={step} number={place + 1} />
          ))}
        </Stack>
        {error && <ErrorState title="The sample could not be set up" error={error} retry={start} />}
        {run && sync ? (
          <SampleRun sync={sync} known={run} />
        ) : (
          state !== 'failed' && (
            <Group>
              <Button loading={state === 'working'} onClick={() => void start()}>
                Try with sample data
              </Button>
            </Group>
          )
        )}
      </Stack>
    </Section>
  );
}

function SampleStep({ step: { title, state, request }, number }: { step: Step; number: number }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" mih={36}>
      <ThemeIcon variant={state === 'done' ? 'filled' : 'default'} radius="xl" size={26}>
        {state === 'done' ? <CheckIcon size={14} /> : <Text size="xs">{number}</Text>}
      </ThemeIcon>
      <Text size="sm" flex={1} {...(state === 'under way' && { fw: 600 })}>
        {title}
        {state === 'done' && <span className="only-heard"> (done)</span>}
      </Text>
      {request && <CurlButton operation={request.operation} input={request.input} />}
    </Group>
  );
}

function SampleRun({ sync, known }: { sync: Sync; known: Run }) {
  const { run } = useFollowedRun(known);
  return (
    <Box>
      {isUnderWay(run.status) ? (
        <RunProgress run={run} label={sync.name} />
      ) : (
        <Stack gap="xs" role="status">
          <Group gap="sm">
            <StatusBadge status={run.status} />
            <Text size="sm">
              {run.error === null
                ? `${formatRows(run.totals.read)} were read and ${formatRows(run.totals.inserted)} written${run.duration_ms === null ? '' : ` in ${formatDuration(run.duration_ms)}`}.`
                : run.error.message}
            </Text>
          </Group>
          <Text size="sm" c="dimmed">
            From now on it runs every 15 minutes. Change a line in one of the files, in the folder sample/shop below the folder for files,
            and run it again: only that row is written.
          </Text>
          <Group gap="xs">
            <Button component={Link} href={`/syncs/${sync.id}`}>
              Open the synchronization
            </Button>
            <Button component={Link} href="/" variant="default">
              Go to the overview
            </Button>
          </Group>
        </Stack>
      )}
    </Box>
  );
}
