import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useApi, usePages } from '../../api/queries.ts';
import type { AlertEntry, AlertMessage } from '../../api/resources.ts';
import type { Data } from '../../api/client.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { Note } from '../../parts/status/note.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatMoment, plural } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { sentence } from '../../parts/words/sentence.ts';
import { channelWords } from './channels.ts';
import { ruleTitle, ruleWords } from './rules.ts';
import { quietWords, reminderWords } from './when-words.ts';
import { useGoOn } from '../../parts/page/use-go-on.ts';

type TestResult = Data<'POST /api/v1/alerts/{id}/test'>;

/** One alert: where it tells, of what, and what it has told. */
export function AlertDetail() {
  const { id = '' } = useParams();
  const alert = useApi('GET /api/v1/alerts/{id}', { params: { id } });
  return (
    <LoadedPage query={alert} list={LISTS.alerts}>
      {({ data }) => <Detail key={data.id} alert={data} />}
    </LoadedPage>
  );
}

function Detail({ alert }: { alert: AlertEntry }) {
  const { id, name, channel } = alert;
  const goOn = useGoOn();
  const [tested, setTested] = useState<TestResult>();
  const input = { params: { id } };
  return (
    <>
      <PageHeader
        title={name}
        about={<OutsideText>{channelWords(channel)}</OutsideText>}
        parent={LISTS.alerts}
        actions={
          <>
            <ActionButton
              operation="POST /api/v1/alerts/{id}/test"
              input={input}
              scope="webhooks"
              onDone={({ data }) => setTested(data)}
              look={{ variant: 'filled' }}
            >
              Send a test
            </ActionButton>
            <Button component={Link} href={`/alerts/${id}/edit`} variant="default">
              Edit
            </Button>
            <ActionButton
              operation="DELETE /api/v1/alerts/{id}"
              input={input}
              scope="webhooks"
              done={`Deleted "${visible(name)}".`}
              onDone={() => goOn('/alerts', { replace: true })}
              look={{ color: 'red' }}
              confirm={{
                title: `Delete the alert ${visible(name)}?`,
                about: 'Nobody is told by it any more; messages that wait are not sent. This cannot be undone.',
              }}
            >
              Delete
            </ActionButton>
          </>
        }
      />
      <Stack gap="md">
        <Reached alert={alert} />
        {tested && <Outcome result={tested} onClose={() => setTested(undefined)} />}
        <Setup alert={alert} />
        <Messages id={id} />
      </Stack>
    </>
  );
}

/** Whether its messages get through. */
function Reached({ alert: { status, error, error_at, sent_at, waiting } }: { alert: AlertEntry }) {
  return (
    <Section title="Status">
      <Stack gap={4}>
        <Group gap="sm">
          <StatusBadge status={status} />
          <Text size="sm" c="dimmed">
            {sent_at === null ? (
              'No message got through yet'
            ) : (
              <>
                Last message got through <RelativeTime time={sent_at} />
              </>
            )}
            {waiting > 0 && `, ${plural(waiting, 'message')} waiting`}.
          </Text>
        </Group>
        {status === 'failing' && error !== null && (
          <Text size="sm">
            <OutsideText>{sentence(error)}</OutsideText>{' '}
            {error_at !== null && (
              <Text span size="sm" c="dimmed">
                The last attempt was <RelativeTime time={error_at} />; it is tried again by itself.
              </Text>
            )}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Outcome({ result: { delivered, error }, onClose }: { result: TestResult; onClose: () => void }) {
  return (
    <Note
      tone={delivered ? 'good' : 'bad'}
      title={delivered ? 'The test was sent' : 'The test was not sent'}
      role={delivered ? 'status' : 'alert'}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={onClose}
    >
      <Text size="sm">
        {error === null ? 'The channel has taken it: see whether it has arrived.' : <OutsideText>{sentence(error)}</OutsideText>}
      </Text>
    </Note>
  );
}

function Setup({ alert }: { alert: AlertEntry }) {
  return (
    <Section title="What it tells of">
      <Facts
        facts={[
          [
            'Rules',
            <List key="rules" size="sm" listStyleType="none">
              {alert.rules.map((rule) => (
                <List.Item key={rule.type}>{ruleWords(rule)}</List.Item>
              ))}
            </List>,
          ],
          ['Synchronizations', alert.sync_ids === null ? 'all' : <SyncLinks key="syncs" ids={alert.sync_ids} />],
          ['Reminders', reminderWords(alert.remind_every)],
          ['Quiet hours', quietWords(alert.quiet_hours)],
          ['Id', alert.id],
          ['Created', formatMoment(alert.created_at)],
          ['Updated', formatMoment(alert.updated_at)],
        ]}
      />
    </Section>
  );
}

function SyncLinks({ ids }: { ids: readonly string[] }) {
  const { nameOf } = useSyncNames();
  return (
    <List size="sm" listStyleType="none">
      {ids.map((id) => (
        <List.Item key={id}>
          <Anchor component={Link} href={`/syncs/${id}`} size="sm">
            <OutsideText>{nameOf(id)}</OutsideText>
          </Anchor>
        </List.Item>
      ))}
    </List>
  );
}

const PAGE = 25;
const KINDS: Record<AlertMessage['kind'], string> = { opened: 'It began', reminder: 'Reminder', closed: 'It is over' };

const COLUMNS: readonly Column<AlertMessage>[] = [
  {
    header: 'About',
    cell: ({ object_name, summary }) => (
      <>
        <OutsideText>{object_name}</OutsideText>
        <Text size="xs" c="dimmed" lineClamp={2}>
          <OutsideText>{summary}</OutsideText>
        </Text>
      </>
    ),
    width: 220,
  },
  { header: 'Rule', cell: ({ rule }) => ruleTitle(rule), width: 105 },
  { header: 'Message', cell: ({ kind }) => KINDS[kind] ?? kind, width: 100 },
  { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error} />, width: 100 },
  { header: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 120 },
  { header: 'Attempts', cell: ({ attempts }) => String(attempts), numeric: true, width: 90 },
  { header: 'Next attempt', cell: ({ next_at }) => (next_at === null ? '–' : <RelativeTime time={next_at} />), width: 115 },
  {
    header: 'Error',
    cell: ({ error }) =>
      error !== null && (
        <Text span size="xs" lineClamp={3}>
          <OutsideText>{error}</OutsideText>
        </Text>
      ),
    width: 150,
  },
];

function Messages({ id }: { id: string }) {
  const pages = usePages('GET /api/v1/alerts/{id}/messages', { params: { id }, query: { limit: PAGE } });
  return (
    <Section title="Messages" about="What it has told or has still to tell, newest first." flush>
      <DataTable
        label="Messages"
        columns={COLUMNS}
        rows={pages.rows}
        rowKey={(message) => message.id}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: PAGE }}
        empty={
          <EmptyState title="It has told nothing yet.">
            As soon as something goes wrong that its rules name, the message is here.
          </EmptyState>
        }
      />
    </Section>
  );
}
