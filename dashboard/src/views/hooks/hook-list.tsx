import { Button, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Hook } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useMay } from '../../shell/me.tsx';
import { LOOK_AGAIN } from './hook-calls.tsx';
import { schemeTitle } from './schemes.ts';

const PAGE = 50;

/** Every address at which other systems may tell Syncline of changes. */
export function HookList() {
  const may = useMay();
  const { nameOf } = useSyncNames();
  const columns = useMemo(() => columnsWith(nameOf), [nameOf]);
  const query = { limit: PAGE };
  const pages = usePages('GET /api/v1/datasync/hooks', { query }, { every: LOOK_AGAIN });
  const make = may('datasync:write') && (
    <Button component={Link} href="/hooks/new">
      New hook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Hooks"
        about="Addresses that other systems call when something has changed there. A call starts a synchronization, or is a row itself."
        actions={
          <>
            {make}
            <CurlButton operation="GET /api/v1/datasync/hooks" input={{ query }} />
          </>
        }
      />
      <Section title="All hooks" flush>
        <DataTable
          label="Hooks"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/hooks/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            <EmptyState title="There is no hook yet." actions={make}>
              With a hook, a shop or another system says that something has changed, and the synchronization runs at once in place of at its
              next time. Keep its schedule: hooks make it quick, the schedule makes it sure.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}

function columnsWith(nameOf: (id: string) => string): readonly Column<Hook>[] {
  return [
    { header: 'Name', cell: ({ name }) => <OutsideText>{name}</OutsideText> },
    { header: 'Sender', cell: ({ scheme }) => schemeTitle(scheme), width: 160 },
    {
      header: 'Starts',
      cell: ({ sync_id }) => (sync_id === null ? '–' : <OutsideText>{nameOf(sync_id)}</OutsideText>),
    },
    { header: 'Calls', cell: ({ calls }) => formatCount(calls), numeric: true, width: 90 },
    {
      header: 'Last call',
      cell: ({ last_call_at }) => (last_call_at === null ? 'never' : <RelativeTime time={last_call_at} />),
      width: 130,
    },
    { header: 'Refused', cell: ({ refused }) => formatCount(refused), numeric: true, width: 90 },
    {
      header: 'Last refusal',
      cell: ({ refused_at, refused_reason }) =>
        refused_at !== null && (
          <Text span size="xs" lineClamp={2}>
            <RelativeTime time={refused_at} />: <OutsideText>{refused_reason ?? ''}</OutsideText>
          </Text>
        ),
      width: 200,
    },
  ];
}
