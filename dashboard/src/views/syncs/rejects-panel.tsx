import { Box, Group, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { usePages } from '../../api/queries.ts';
import type { Reject, Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Paging, type PagingPlace } from '../../parts/table/paging.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './run-button.tsx';

const SIZE = 25;
const WHICH = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
];

/** Rows that could not be written, the reason, and a retry when it was corrected. */
export function RejectsPanel({ sync }: { sync: Sync }) {
  const [filter, setFilter] = useFilter('rejects');
  const { move } = useShopScopes(sync);
  const status = filter === 'resolved' || filter === 'all' ? filter : 'open';
  const input = { params: { id: sync.id }, query: { status, limit: SIZE } as const };
  const pages = usePages('GET /api/v1/datasync/sync/{id}/rejects', input);
  const none = status === 'open' && pages.total === 0 ? 'There are no open rejected rows.' : undefined;
  return (
    <Section
      title="Rejected rows"
      about="Correct them at the source, or change the mapping, and retry. Rows that can be written then are resolved."
      actions={
        <ActionButton
          operation="POST /api/v1/datasync/sync/{id}/rejects/retry"
          input={{ params: { id: sync.id } }}
          scope={move}
          unavailable={none ?? whyNoRun(sync)}
          done="The rows are being retried."
          look={{ variant: 'filled' }}
        >
          Retry
        </ActionButton>
      }
      flush
    >
      <Stack gap="xs">
        <Group px="md" justify="space-between">
          <SegmentedControl
            aria-label="Status"
            size="xs"
            data={WHICH}
            value={status}
            onChange={(value) => setFilter(value === 'open' ? '' : value)}
          />
          <CurlButton operation="GET /api/v1/datasync/sync/{id}/rejects" input={input} />
        </Group>
        <Content sync={sync} pages={pages} isOpen={status === 'open'} />
      </Stack>
    </Section>
  );
}

/** A page of the list, as it is walked. */
interface RejectPages extends Omit<PagingPlace, 'size'> {
  rows: readonly Reject[] | undefined;
  error: Error | null;
  refetch: () => unknown;
}

interface ContentProps {
  sync: Sync;
  pages: RejectPages;
  isOpen: boolean;
}

function Content({ sync, pages, isOpen }: ContentProps) {
  const { rows, error, refetch, page } = pages;
  if (error && rows === undefined) {
    return (
      <Box p="md">
        <ErrorState error={error} retry={refetch} />
      </Box>
    );
  }
  if (rows === undefined) return <Skeleton h={160} mx="md" mb="md" role="status" aria-label="Loading rows" />;
  if (rows.length === 0 && page === 0) {
    return (
      <EmptyState title={isOpen ? 'There are no rejected rows.' : 'There are none.'}>
        A row that cannot be written is listed here with the field, the reason, and the row as it was read.
      </EmptyState>
    );
  }
  return (
    <>
      <RejectedRows sync={sync} rejects={rows} />
      <Paging {...pages} size={SIZE} shown={rows.length} label="Rejected rows" />
    </>
  );
}
