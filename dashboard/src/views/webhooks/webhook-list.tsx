import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Webhook } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { formatCount } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { typesWords } from './event-types.ts';
import { LOOK_AGAIN, shownStatus } from './webhook-words.ts';

const PAGE = 50;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    header: 'Name',
    cell: ({ name }) => <OutsideText>{name}</OutsideText>,
    width: 170,
  },
  {
    header: 'Status',
    cell: (webhook) => <StatusBadge status={shownStatus(webhook)} reason={webhook.status_reason} />,
    width: 110,
  },
  {
    header: 'URL',
    cell: ({ url }) => (
      <Text span size="sm" lineClamp={2}>
        <OutsideText>{url}</OutsideText>
      </Text>
    ),
  },
  {
    header: 'Events',
    cell: ({ types }) => (
      <Text span size="sm" lineClamp={2}>
        <OutsideText>{typesWords(types)}</OutsideText>
      </Text>
    ),
  },
  { header: 'Waiting', cell: ({ waiting }) => formatCount(waiting), numeric: true, width: 90 },
  { header: 'Failed', cell: ({ failed }) => formatCount(failed), numeric: true, width: 90 },
  {
    header: 'Last delivered',
    cell: ({ last_delivered_at }) => (last_delivered_at === null ? 'never' : <RelativeTime time={last_delivered_at} />),
    width: 140,
  },
];

/** Every endpoint that is told of changes: its state, and what is waiting for it. */
export function WebhookList() {
  const query = { limit: PAGE };
  const pages = usePages('GET /api/v1/webhooks', { query }, { every: LOOK_AGAIN });
  const make = (
    <Button component={Link} href="/webhooks/new">
      New webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        about="Systems that Syncline tells of changes: each event is sent to their URL, signed, until they have taken it."
        actions={
          <>
            {make}
            <CurlButton operation="GET /api/v1/webhooks" input={{ query }} />
          </>
        }
      />
      <Section title="All webhooks" flush>
        <DataTable
          label="Webhooks"
          columns={COLUMNS}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/webhooks/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            <EmptyState title="There is no webhook yet." actions={make}>
              A webhook sends events, such as order.created or run.failed, to a system of yours the moment they happen. What cannot be
              delivered is tried again for about three days and kept for 30.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
