import { Box, Group, Text } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import type { Log } from '../../api/resources.ts';
import { type LogQuery, MOST_FOLLOWED, useFollowedLogs } from '../../api/use-followed-logs.ts';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { FollowMark } from '../../parts/status/follow-mark.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';

interface FollowedLogsProps {
  query: LogQuery;
  empty: ReactNode;
  /** What can be done with them. */
  actions?: ComponentType<{ logs: readonly Log[]; query: LogQuery }>;
  /** Draws the entries that there are, newest first. */
  children: (logs: readonly Log[]) => ReactNode;
}

/** The latest entries, and each new one as it comes. */
export function FollowedLogs({ query, empty, actions: Actions, children }: FollowedLogsProps) {
  const { logs, connection, error } = useFollowedLogs(query);
  if (error || logs === undefined)
    return (
      <Box px="md" pb="md">
        {error ? <ErrorState error={error} /> : <PageSkeleton lines={4} />}
      </Box>
    );
  return (
    <>
      <Group justify="space-between" px="md" pb="xs" gap="xs">
        <Group gap="md">
          <FollowMark connection={connection} />
          <Text size="xs" c="dimmed" className="number">
            {logs.length === MOST_FOLLOWED
              ? `The latest ${formatCount(MOST_FOLLOWED)} entries, newest first`
              : `${plural(logs.length, 'entry', 'entries')}, newest first`}
          </Text>
        </Group>
        {Actions && logs.length > 0 && (
          <Group gap="xs">
            <Actions logs={logs} query={query} />
          </Group>
        )}
      </Group>
      {logs.length === 0 ? empty : children(logs)}
    </>
  );
}
