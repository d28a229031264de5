import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Source } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { useMay } from '../../shell/me.tsx';
import { useConnectors } from './connectors.ts';
import { useReadySources } from './ready-sources.ts';

const SIZE = 50;
const INPUT = { query: { limit: SIZE } };

const COLUMNS: readonly Column<Source>[] = [
  { header: 'Name', cell: ({ name }) => <OutsideText>{name}</OutsideText>, width: 200 },
  { header: 'Type', cell: ({ type }) => <Kind type={type} />, width: 170 },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 120 },
  { header: 'Last check', cell: (source) => <Finding source={source} /> },
  { header: 'Checked', cell: ({ checked_at }) => (checked_at === null ? 'never' : <RelativeTime time={checked_at} />), width: 130 },
];

/** Every system that synchronizations read from or write to. */
export function SourceList() {
  const may = useMay();
  const pages = usePages('GET /api/v1/datasync/sources', INPUT);
  // Most open one of them next, and see its tables.
  useReadySources();
  const add = may('datasync:write') && (
    <Button component={Link} href="/sources/new">
      Add a source
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Sources"
        about="The systems that are read from and written to: databases, files, APIs, and the shop itself."
        actions={
          <>
            {add}
            <CurlButton operation="GET /api/v1/datasync/sources" input={INPUT} />
          </>
        }
      />
      <div className="surface">
        <DataTable
          label="Sources"
          columns={COLUMNS}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/sources/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: SIZE }}
          empty={
            <EmptyState title="There is no source yet." actions={add}>
              A source is one system: a database, a folder of files, an API. Add the two that are to be kept in sync, then create a
              synchronization between them.
            </EmptyState>
          }
        />
      </div>
    </>
  );
}

function Kind({ type }: { type: string }) {
  return useConnectors().titleOf(type);
}

function Finding({ source: { status_message } }: { source: Source }) {
  return status_message === null ? (
    <Text size="sm" c="dimmed">
      It was not tested yet.
    </Text>
  ) : (
    <Text size="sm" lineClamp={2}>
      <OutsideText>{status_message}</OutsideText>
    </Text>
  );
}
