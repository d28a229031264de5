import { Anchor, Box } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Log } from '../../api/resources.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { Section } from '../../parts/page/section.tsx';
import { FollowedLogs } from '../logs/followed-logs.tsx';
import { LogLines } from '../logs/log-lines.tsx';

const MOST = 200;
/** The last entries of a run are written a moment after its end. */
const LINGER = 3_000;

const EMPTY = (
  <EmptyState title="Nothing has been logged yet.">
    A run writes when it begins, what it finds and how it ends. Entries are kept for 30 days.
  </EmptyState>
);

/** What the run tells of itself: as it happens while it goes on, afterwards as it was. */
export function RunLogs({ id, underWay }: { id: string; underWay: boolean }) {
  const [wasUnderWay] = useDebouncedValue(underWay, LINGER);
  const draw = (logs: readonly Log[]) => (
    // Reached by the keyboard, as it scrolls by itself.
    <Box mah={520} style={{ overflowY: 'auto' }} tabIndex={0} role="region" aria-label="Log of the run">
      <LogLines logs={logs} besideRun />
    </Box>
  );
  return (
    <Section
      title="Log"
      flush
      actions={
        <Anchor component={Link} href={`/logs?run_id=${id}`} size="sm">
          Search the log
        </Anchor>
      }
    >
      {underWay || wasUnderWay ? (
        <FollowedLogs query={{ run_id: id }} empty={EMPTY}>
          {draw}
        </FollowedLogs>
      ) : (
        <PastLogs id={id}>{draw}</PastLogs>
      )}
    </Section>
  );
}

function PastLogs({ id, children }: { id: string; children: (logs: readonly Log[]) => React.ReactNode }) {
  const query = useApi('GET /api/v1/datasync/logs', { query: { run_id: id, limit: MOST } });
  const skeleton = (
    <Box px="md" pb="md">
      <PageSkeleton lines={4} />
    </Box>
  );
  return (
    <Loaded query={query} skeleton={skeleton}>
      {({ data }) => (data.length === 0 ? EMPTY : children(data))}
    </Loaded>
  );
}
