import { Button, Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Delivery, Webhook } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount, formatDuration } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useMay } from '../../shell/me.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { ReplayRange } from './replay-range.tsx';
import { answerWords, LOOK_AGAIN, queuedWords } from './webhook-words.ts';

const PAGE = 25;
const WHICH: { value: Delivery['status'] | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

interface DeliveriesProps {
  webhook: Webhook;
  /** What stands below: it comes when the number of deliveries is known, and does not jump. */
  children: ReactNode;
}

/** Every message to this endpoint, newest first: for keys that may read all that it is told of. */
export function Deliveries({ webhook, children }: DeliveriesProps) {
  const may = useMay();
  const lacking = webhook.scopes.filter((scope) => !may(scope));
  if (lacking.length === 0) return <DeliveryList webhook={webhook}>{children}</DeliveryList>;
  return (
    <>
      <Section title="Deliveries">
        <EmptyState title="This key does not see what is sent.">
          The endpoint is told of what your key may not read. It lacks {lacking.length === 1 ? 'the scope' : 'the scopes'}{' '}
          {lacking.join(', ')}.
        </EmptyState>
      </Section>
      {children}
    </>
  );
}

function DeliveryList({ webhook, children }: DeliveriesProps) {
  const [filter, setFilter] = useFilter('status');
  const [type] = useFilter('type');
  const [objectId] = useFilter('object_id');
  const [, setParams] = useSearchParams();
  const [choosing, setChoosing] = useState(false);
  const status = WHICH.find(({ value }) => value === filter)?.value ?? 'all';
  const isFiltered = status !== 'all' || type !== '' || objectId !== '';
  const input = {
    params: { id: webhook.id },
    query: { limit: PAGE, status: status === 'all' ? undefined : status, type: type || undefined, object_id: objectId || undefined },
  };
  const pages = usePages('GET /api/v1/webhooks/{id}/deliveries', input, { every: LOOK_AGAIN });
  const columns = useMemo(() => columnsOf(webhook.status), [webhook.status]);
  // Rows are drawn a moment after they are heard of.
  const isAwaited = useDeferredValue(pages.isPending);
  return (
    <>
      <Section
        title="Deliveries"
        about="Newest first. Each stays for 30 days after it is over."
        flush
        actions={
          <>
            <ActionButton
              operation="POST /api/v1/webhooks/{id}/replay"
              input={{ params: { id: webhook.id }, body: { failed: true } }}
              scope="webhooks"
              look={{ size: 'xs' }}
              unavailable={webhook.failed === 0 ? 'No delivery has failed.' : undefined}
              done={({ data }) => queuedWords(data.queued)}
            >
              Replay all failed
            </ActionButton>
            <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
              Replay a range
            </Button>
            <CurlButton operation="GET /api/v1/webhooks/{id}/deliveries" input={input} size={30} />
          </>
        }
      >
        <Group px="md" pb="sm" gap="sm" align="flex-end" role="search" aria-label="Deliveries">
          <SegmentedControl
            aria-label="Status"
            size="xs"
            data={WHICH}
            value={status}
            onChange={(value) => setFilter(value === 'all' ? '' : value)}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs" flex="1 1 320px" maw={560}>
            <FilterText label="Type" name="type" placeholder="order.created" maxLength={100} />
            <FilterText label="Object" name="object_id" placeholder="An id, such as ord_…" maxLength={200} />
          </SimpleGrid>
        </Group>
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={pages.rows}
          rowKey={({ sequence }) => String(sequence)}
          href={({ sequence }) => `/webhooks/${webhook.id}/deliveries/${sequence}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            isFiltered ? (
              <EmptyState
                title="No delivery matches."
                actions={
                  <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                    Clear the filters
                  </Button>
                }
              >
                Types and ids must be complete.
              </EmptyState>
            ) : (
              <EmptyState title="Nothing has been sent yet.">
                Each event that it is told of is listed here, with the answer of the receiver. Send a test to see whether it works.
              </EmptyState>
            )
          }
        />
        {choosing && <ReplayRange webhook={webhook} onClose={() => setChoosing(false)} />}
      </Section>
      {!isAwaited && children}
    </>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { header: 'Event', cell: ({ type }) => <OutsideText>{type}</OutsideText>, width: 165 },
  { header: 'Status', cell: ({ status, error }) => <StatusBadge status={status} reason={error} />, width: 105 },
  {
    header: 'Object',
    cell: ({ object_id }) => (
      <Text span size="xs">
        <OutsideText>{object_id}</OutsideText>
      </Text>
    ),
    width: 230,
  },
  {
    header: 'Answer',
    cell: (delivery) => (
      <Text span size="sm" lineClamp={2}>
        <OutsideText>{answerWords(delivery)}</OutsideText>
      </Text>
    ),
    width: 95,
  },
  { header: 'Took', cell: ({ duration_ms }) => (duration_ms === null ? '–' : formatDuration(duration_ms)), numeric: true, width: 70 },
  { header: 'Attempts', cell: ({ attempts }) => formatCount(attempts), numeric: true, width: 85 },
  { header: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 115 },
];

function columnsOf(status: Webhook['status']): readonly Column<Delivery>[] {
  const cell = ({ next_at }: Delivery) => <NextAttempt time={next_at} isActive={status === 'active'} />;
  return [...COLUMNS, { header: 'Next attempt', cell, width: 115 }];
}
