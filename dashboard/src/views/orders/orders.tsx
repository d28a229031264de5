import { Button, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { ListedOrder } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { MomentCell, TextCell } from '../../parts/table/cells.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { formatCount } from '../../parts/words/format.ts';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { ExportButton } from './export-button.tsx';
import { OrderFilterBar } from './order-filter-bar.tsx';
import { OrderName } from './order-name.tsx';
import { filtersIn } from './order-query.ts';
import { statesText, unusualStates } from './order-words.ts';

const PAGE = 50;

const COLUMNS: readonly Column<ListedOrder>[] = [
  { header: 'Order', cell: ({ id, external_id }) => <OrderName id={id} number={external_id} /> },
  { header: 'Status', cell: (order) => <OrderStates order={order} />, width: 320 },
  {
    header: 'Total',
    cell: ({ total, currency }) => (currency === undefined ? formatDecimal(total) : formatMoney(total, currency)),
    numeric: true,
    phone: 'bare',
  },
  { header: 'Items', cell: ({ items }) => formatCount(items?.length ?? 0), numeric: true, phone: 'hidden' },
  { header: 'Customer', cell: ({ customer_id, customer }) => <TextCell text={customer?.name ?? customer_id} />, width: 160, phone: 'bare' },
  { header: 'Channel', cell: ({ channel }) => <TextCell text={channel} />, width: 100, phone: 'hidden' },
  { header: 'Created', cell: ({ created_at }) => <MomentCell time={created_at} />, phone: 'bare' },
];

/** Where history was brought in, or the list goes by it. */
const WITH_PLACED: readonly Column<ListedOrder>[] = [
  ...COLUMNS,
  { header: 'Placed', cell: ({ created_at, placed_at }) => <MomentCell time={placed_at ?? created_at} /> },
];

function OrderStates({ order }: { order: ListedOrder }) {
  const more = unusualStates(order);
  return (
    <div>
      <StatusBadge status={order.status} />
      {more.length > 0 && (
        <Text size="xs" c="dimmed" title={statesText(more)}>
          {statesText(more)}
        </Text>
      )}
    </div>
  );
}

/** Every order, newest first, however many there are. */
export function Orders() {
  const [params, setParams] = useSearchParams();
  const filters = filtersIn(params);
  const { sort: _, ...narrowing } = filters;
  const isFiltered = Object.values(narrowing).some((value) => value !== undefined);
  const query = { ...filters, expand: 'all' as const, limit: PAGE };
  const pages = usePages('GET /api/v1/orders', { query });
  const isByPlaced = (filters.placed_from ?? filters.placed_to) !== undefined || filters.sort?.endsWith('placed_at');
  const showsPlaced = isByPlaced || pages.rows?.some(({ placed_at }) => placed_at !== undefined);
  return (
    <>
      <PageHeader
        title="Orders"
        about="What customers have ordered in all channels."
        actions={
          <>
            <ExportButton filters={filters} total={pages.total} />
            <CurlButton operation="GET /api/v1/orders" input={{ query }} />
          </>
        }
      />
      <OrderFilterBar />
      <Section title={isFiltered ? 'Orders that match' : 'All orders'} flush>
        <DataTable
          label="Orders"
          isOneLine
          columns={showsPlaced ? WITH_PLACED : COLUMNS}
          rows={pages.rows}
          rowKey={({ id }) => id}
          href={({ id }) => `/orders/${id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            isFiltered ? (
              <EmptyState
                title="No order matches these filters."
                actions={
                  <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                    Clear the filters
                  </Button>
                }
              >
                What is found by words has to begin with them. Customer, external id, product, channel, tag and currency must be written
                exactly as the order has them. Days are those of this browser's time zone.
              </EmptyState>
            ) : (
              <EmptyState
                title="There is no order yet."
                actions={
                  <Button component="a" href="/docs" target="_blank" rel="noreferrer" variant="default">
                    See how to send one
                  </Button>
                }
              >
                Orders come by POST /api/v1/orders, or from a synchronization that writes to the shop. They appear here the moment they are
                taken.
              </EmptyState>
            )
          }
        />
      </Section>
    </>
  );
}
