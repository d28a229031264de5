import { Box, Button, Group, Switch, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Log } from '../../api/resources.ts';
import type { LogQuery } from '../../api/use-followed-logs.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { Paging } from '../../parts/table/paging.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { CopyLogs } from './copy-logs.tsx';
import { FollowedLogs } from './followed-logs.tsx';
import { LogFilters, useLogQuery } from './log-filters.tsx';
import { LogLines } from './log-lines.tsx';

const PAGE = 100;

/** What synchronizations did and what went wrong: the latest as it happens, or back in time, page by page. */
export function Logs() {
  const query = useLogQuery();
  const [to, setTo] = useFilter('to');
  const key = JSON.stringify(query);
  return (
    <>
      <PageHeader
        title="Logs"
        about="What synchronizations did and what went wrong. Filter it by words, level and time."
        actions={
          <Switch
            label="Follow"
            checked={to === ''}
            // Who stops to read wants what is there now to stay where it is.
            onChange={({ currentTarget }) => setTo(currentTarget.checked ? '' : new Date().toISOString())}
          />
        }
      />
      <Section title="Entries" about="Each word has to begin a word of the message, in any order." flush>
        <LogFilters />
        {to === '' ? (
          <FollowedLogs key={key} query={query} empty={<NoLogs query={query} />} actions={LogActions}>
            {(logs) => <LogLines logs={logs} />}
          </FollowedLogs>
        ) : (
          <PastLogs query={query} />
        )}
      </Section>
    </>
  );
}

function PastLogs({ query }: { query: LogQuery }) {
  const pages = usePages('GET /api/v1/datasync/logs', { query: { ...query, limit: PAGE } });
  const { rows, error, refetch } = pages;
  if (error && rows === undefined) {
    return (
      <Box p="md">
        <ErrorState error={error} retry={refetch} />
      </Box>
    );
  }
  if (rows === undefined) {
    return (
      <Box p="md">
        <PageSkeleton lines={4} />
      </Box>
    );
  }
  if (rows.length === 0 && pages.page === 0) return <NoLogs query={query} />;
  return (
    <>
      <Group px="md" pb="xs" gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          Newest first, until {formatMoment(query.to ?? '')}
        </Text>
        <Group gap="xs">
          <LogActions logs={rows} query={query} />
        </Group>
      </Group>
      <LogLines logs={rows} />
      <Paging {...pages} size={PAGE} shown={rows.length} label="Log entries" />
    </>
  );
}

function LogActions({ logs, query }: { logs: readonly Log[]; query: LogQuery }) {
  return (
    <>
      <CopyLogs logs={logs} />
      <CurlButton operation="GET /api/v1/datasync/logs" input={{ query: { ...query, limit: PAGE } }} />
    </>
  );
}

function NoLogs({ query }: { query: LogQuery }) {
  const [, setParams] = useSearchParams();
  if (Object.keys(query).length === 0) {
    return (
      <EmptyState title="Nothing has been logged yet.">
        Every run writes here when it begins, what it finds and how it ends. Entries are kept for 30 days unless the operator decided
        otherwise.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No entry matches."
      actions={
        <Button variant="default" onClick={() => setParams({})}>
          Clear the filters
        </Button>
      }
    >
      <Text inherit>
        Use fewer words, another level or a longer time. Entries are kept for 30 days unless the operator decided otherwise.
      </Text>
    </EmptyState>
  );
}
