import { Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { usePages } from '../../api/queries.ts';
import type { Reject, Sync } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { useShopScopes } from './shop-scopes.ts';
import { whyNoRun } from './sync-actions.tsx';

const SIZE = 25;
const WHICH = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
];

const COLUMNS: readonly Column<Reject>[] = [
  {
    header: 'Key',
    cell: ({ key }) => <OutsideText>{key === null ? 'without a key' : key.map(String).join(', ')}</OutsideText>,
    width: 120,
  },
  { header: 'Stream', cell: ({ stream }) => <OutsideText>{stream}</OutsideText>, width: 140 },
  {
    header: 'Reason',
    cell: ({ field, reason }) => <OutsideText>{field === null ? reason : `${field} ${reason}`}</OutsideText>,
  },
  { header: 'Row as read', cell: ({ row }) => <AsRead row={row} />, width: 260 },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 110 },
  { header: 'Rejected', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 120 },
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
        <DataTable
          label="Rejected rows"
          columns={COLUMNS}
          rows={pages.rows}
          rowKey={({ id }) => id}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: SIZE }}
          empty={
            <EmptyState title={status === 'open' ? 'There are no rejected rows.' : 'There are none.'}>
              A row that cannot be written is listed here with the field, the reason, and the row as it was read.
            </EmptyState>
          }
        />
      </Stack>
    </Section>
  );
}

function AsRead({ row }: { row: object }) {
  return (
    <Code
      block
      fz="xs"
      mah={120}
      style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      tabIndex={0}
      aria-label="The row as it was read"
    >
      <Text span inherit>
        {visible(JSON.stringify(row, null, 1))}
      </Text>
    </Code>
  );
}
