import { List, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useApi, usePages } from '../../api/queries.ts';
import type { Customer, ListedOrder } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { idIn } from '../../parts/page/id-in.ts';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { MomentCell } from '../../parts/table/cells.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount, formatMoment, plural } from '../../parts/words/format.ts';
import { formatDecimal, formatMoney } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { OrderName } from '../orders/order-name.tsx';
import { customerHref } from './customer-address.ts';

const PAGE = 50;
/** The list says no currency: where all orders have the same, it is known. */
const columnsOf = (currency: string | undefined): readonly Column<ListedOrder>[] => [
  { header: 'Order', cell: ({ id }) => <OrderName id={id} /> },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Total',
    cell: ({ total }) => (currency === undefined ? formatDecimal(total) : formatMoney(total, currency)),
    numeric: true,
  },
  { header: 'Created', cell: ({ created_at }) => <MomentCell time={created_at} /> },
];

/** What the orders say about one who ordered, and the way to have that forgotten. */
export function CustomerPage() {
  useLocation();
  const id = idIn(location.pathname);
  const query = useApi('GET /api/v1/customers/{id}', { params: { id } });
  return (
    <LoadedPage query={query} list={LISTS.customers}>
      {({ data }) => <Shown key={data.id} customer={data} />}
    </LoadedPage>
  );
}

function Shown({ customer }: { customer: Customer }) {
  const { id, orders, last_order, customer: person } = customer;
  const name = person?.name;
  return (
    <>
      <PageHeader
        title={name ?? 'Customer'}
        id={name == null ? id : undefined}
        parent={LISTS.customers}
        about={
          <>
            Ordered {formatTimes(orders)}, the last time <RelativeTime time={last_order.created_at} />
          </>
        }
        actions={<EraseButton id={id} orders={orders} />}
      />
      <CustomerDetails customer={customer} />
    </>
  );
}

function formatTimes(orders: number): string {
  return orders === 1 ? 'once' : `${formatCount(orders)} times`;
}

function CustomerDetails({ customer: { id, orders, totals, first_order, last_order, customer } }: { customer: Customer }) {
  const pages = usePages('GET /api/v1/customers/{id}/orders', { params: { id }, query: { limit: PAGE } });
  const currency = totals.length === 1 ? totals[0]?.currency : undefined;
  const columns = useMemo(() => columnsOf(currency), [currency]);
  const told = (text: string | undefined) => text && <OutsideText>{text}</OutsideText>;
  const sums = totals.map(({ currency, total, orders: n }) => (
    <div key={currency} className="number">
      {formatMoney(total, currency)}
      {totals.length > 1 && ` in ${plural(n, 'order')}`}
    </div>
  ));
  return (
    <Stack gap="md">
      <Section
        title="The customer"
        about="What their orders say, in whatever state the orders are."
        actions={<CurlButton operation="GET /api/v1/customers/{id}" input={{ params: { id } }} />}
      >
        <Facts
          facts={[
            ['Id', told(id)],
            ['Name', told(customer?.name)],
            ['E-mail', told(customer?.email)],
            ['Phone', told(customer?.phone)],
            ['Company', told(customer?.company)],
            ['Tax id', told(customer?.tax_id)],
            ['Orders', formatCount(orders)],
            ['Sum', sums],
            ['First order', formatMoment(first_order.created_at)],
            ['Last order', formatMoment(last_order.created_at)],
          ]}
        />
      </Section>
      <Section title="Orders" flush>
        <DataTable
          label="Orders of the customer"
          isOneLine
          columns={columns}
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

function EraseButton({ id, orders }: { id: string; orders: number }) {
  const [, goTo] = useLocation();
  return (
    <ActionButton
      operation="POST /api/v1/customers/{id}/erase"
      input={{ params: { id } }}
      scope="admin"
      look={{ variant: 'default', color: 'red' }}
      confirm={{ title: 'Erase this person?', about: <WhatGoes orders={orders} /> }}
      done={({ data }) =>
        data.status === 'done' ? 'The person is erased.' : 'The person is being erased. It goes on by itself, also when you leave.'
      }
      onDone={({ data }) =>
        goTo(data.status === 'done' && data.customer_id !== null ? customerHref(data.customer_id) : '/customers', { replace: true })
      }
    >
      Erase
    </ActionButton>
  );
}

/** What an erasure does, before one does it. */
function WhatGoes({ orders }: { orders: number }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        This cannot be taken back.
      </Text>
      <List size="sm" spacing={4}>
        <List.Item>
          Name, e-mail, phone, addresses, notes, metadata and reasons are taken out of {plural(orders, 'order')}, and out of events, logs,
          rejected rows and calls.
        </List.Item>
        <List.Item>What was ordered and paid stays, under an id that tells nothing.</List.Item>
        <List.Item>Backups and exports that were made before still have the person, and so do systems that were told.</List.Item>
      </List>
    </Stack>
  );
}
