import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Run, Sync } from '../../api/resources.ts';
import { MOST_FOLLOWED, useFollowedRun } from '../../api/use-followed-run.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { RunProgress } from '../../parts/status/run-progress.tsx';
import { Section } from '../../parts/page/section.tsx';

const MOST = 6;

/** The runs that are under way, as they go on. */
export function RunningNow({ syncs }: { syncs: readonly Sync[] }) {
  // What is live runs all the time: it is news only while something is loaded.
  const running = syncs.flatMap(({ name, health, current_run }) =>
    current_run !== null &&
    (!current_run.live || health === 'loading') &&
    (current_run.status === 'running' || current_run.status === 'queued')
      ? [{ name, run: current_run }]
      : [],
  );
  return (
    <Section title="Running now">
      {running.length === 0 ? (
        <EmptyState title="Nothing runs at the moment.">A run that starts is shown here while it goes on.</EmptyState>
      ) : (
        <Stack gap="sm">
          {running.slice(0, MOST).map(({ name, run }, place) => (
            <FollowedRun key={run.id} name={name} known={run} follow={place < MOST_FOLLOWED} />
          ))}
          {running.length > MOST && (
            <Text size="sm" c="dimmed">
              And {running.length - MOST} more.
            </Text>
          )}
        </Stack>
      )}
    </Section>
  );
}

function FollowedRun({ name, known, follow }: { name: string; known: Run; follow: boolean }) {
  const { run } = useFollowedRun(known, follow);
  return (
    <Box>
      <Group justify="space-between" wrap="nowrap" gap="sm" mb={4}>
        <Anchor component={Link} href={`/runs/${run.id}`} size="sm" fw={500} underline="hover">
          <OutsideText>{name}</OutsideText>
        </Anchor>
        {run.started_at !== null && (
          <Text size="xs" c="dimmed">
            started <RelativeTime time={run.started_at} />
          </Text>
        )}
      </Group>
      <RunProgress run={run} label={name} />
    </Box>
  );
}
