import { Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { AlertEntry } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { channelWords } from './channels.ts';
import { History, OpenIncidents, useAwaitedIncidents } from './incidents.tsx';
import { ruleWords } from './rules.ts';
import { reminderWords } from './when-words.ts';

const PAGE = 50;

const COLUMNS: readonly Column<AlertEntry>[] = [
  { header: 'Name', cell: ({ name }) => <OutsideText>{name}</OutsideText>, width: 160 },
  { header: 'Channel', cell: ({ channel }) => <OutsideText>{channelWords(channel)}</OutsideText>, width: 190 },
  {
    header: 'Rules',
    cell: ({ rules }) => (
      <Text span size="sm" lineClamp={4}>
        {rules.map(ruleWords).join(', ')}
      </Text>
    ),
    width: 230,
  },
  {
    header: 'Synchronizations',
    cell: ({ sync_ids }) => (sync_ids === null ? 'all' : plural(sync_ids.length, 'synchronization')),
    width: 150,
  },
  { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error} />, width: 110 },
  { header: 'Reminders', cell: ({ remind_every }) => reminderWords(remind_every), width: 110 },
];

/** What is wrong now, who is told of what, and what was wrong before. */
export function AlertList() {
  const query = { limit: PAGE };
  const pages = usePages('GET /api/v1/alerts', { query });
  const isAwaited = useAwaitedIncidents();
  const make = (
    <Button component={Link} href="/alerts/new">
      New alert
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Alerts"
        about="What is wrong at this moment, and who is told of it: by e-mail, in a chat or by a webhook."
        actions={
          <>
            {make}
            <CurlButton operation="GET /api/v1/alerts" input={{ query }} />
          </>
        }
      />
      <Stack gap="md">
        <OpenIncidents />
        {/* How long the list above is has to be known first, or these would jump. */}
        {!isAwaited && (
          <>
            <Section title="All alerts" flush>
              <DataTable
                label="Alerts"
                columns={COLUMNS}
                rows={pages.rows}
                rowKey={({ id }) => id}
                href={({ id }) => `/alerts/${id}`}
                error={pages.error}
                refetch={pages.refetch}
                paging={{ ...pages, size: PAGE }}
                empty={
                  <EmptyState title="Nobody is told yet." actions={make}>
                    An alert sends one message when something goes wrong and one when it is over, with a link to the page that helps.
                  </EmptyState>
                }
              />
            </Section>
            <History />
          </>
        )}
      </Stack>
    </>
  );
}
