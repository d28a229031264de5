import { Stack } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import { useApi, usePages } from '../../api/queries.ts';
import type { Customer, ListedOrder } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount, formatMoment, plural } from '../../parts/words/format.ts';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';

const PAGE = 50;
const PARENT = { label: 'Orders', href: '/orders' };

const COLUMNS: readonly Column<ListedOrder>[] = [
  { header: 'Order', cell: ({ id }) => id },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 120 },
  { header: 'Total', cell: ({ total }) => formatDecimal(total), numeric: true, width: 140 },
  { header: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 130 },
];

/** What the orders say about one who ordered, and the way to have that forgotten. */
export function CustomerPage() {
  const { id: given } = useParams<{ id: string }>();
  const id = decodeURIComponent(given);
  const query = useApi('GET /api/v1/customers/{id}', { params: { id } });
  return (
    <>
      <PageHeader
        title={`Customer ${id}`}
        parent={PARENT}
        about="What the orders say about them."
        actions={
          <>
            <EraseButton id={id} orders={query.data?.data.orders} />
            <CurlButton operation="GET /api/v1/customers/{id}" input={{ params: { id } }} />
          </>
        }
      />
      <Loaded query={query}>{({ data }) => <CustomerDetails customer={data} />}</Loaded>
    </>
  );
}

function CustomerDetails({ customer: { id, orders, totals, first_order, last_order, customer } }: { customer: Customer }) {
  const pages = usePages('GET /api/v1/customers/{id}/orders', { params: { id }, query: { limit: PAGE } });
  const told = (text: string | undefined) => text && <OutsideText>{text}</OutsideText>;
  return (
    <Stack gap="md">
      <Section title="The customer">
        <Facts
          facts={[
            ['Name', told(customer?.name)],
            ['E-mail', told(customer?.email)],
            ['Phone', told(customer?.phone)],
            ['Company', told(customer?.company)],
            ['Tax id', told(customer?.tax_id)],
            ['Orders', formatCount(orders)],
            ['Sum', totals.map(({ currency, total }) => formatMoney(total, currency)).join(', ')],
            ['First order', formatMoment(first_order.created_at)],
            ['Last order', formatMoment(last_order.created_at)],
          ]}
        />
      </Section>
      <Section title="Orders" flush>
        <DataTable
          label="Orders of the customer"
          columns={COLUMNS}
          rows={pages.rows}
          rowKey={(order) => order.id}
          href={(order) => `/orders/${order.id}`}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty="There is no order."
        />
      </Section>
    </Stack>
  );
}

function EraseButton({ id, orders }: { id: string; orders: number | undefined }) {
  const [, goTo] = useLocation();
  return (
    <ActionButton
      operation="POST /api/v1/customers/{id}/erase"
      input={{ params: { id } }}
      scope="admin"
      unavailable={orders === undefined ? 'There is nobody to erase.' : undefined}
      look={{ variant: 'default', color: 'red' }}
      confirm={{
        title: 'Erase this person?',
        about: `Name, addresses, notes and metadata are taken out of ${plural(orders ?? 0, 'order')}, out of events, logs and rejected rows. What was ordered and paid stays, under a name that says nothing. There is no way back. Backups that were made before still have the person.`,
      }}
      done={({ data }) => (data.status === 'done' ? 'The person is erased.' : 'The person is being erased.')}
      onDone={({ data }) => goTo(data.status === 'done' && data.customer_id !== null ? `/customers/${data.customer_id}` : '/orders')}
    >
      Erase
    </ActionButton>
  );
}
