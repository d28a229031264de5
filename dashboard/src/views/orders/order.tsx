import { Anchor, Code, Grid, Stack } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Link, useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Order } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Facts } from '../../parts/page/facts.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { formatMoney } from '../../parts/words/money.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { customerHref } from '../customers/customer-address.ts';
import { OrderDeeds } from './deeds/order-deeds.tsx';
import { OrderChanges, OrderHistory } from './order-history.tsx';
import { OrderItems } from './order-items.tsx';
import { OrderPeople } from './order-people.tsx';
import { Transitions } from './transitions-bar.tsx';

/** Loaded when it is first opened. */
const ChangeDrawer = lazyPart(async () => (await import('./change/change-drawer.tsx')).ChangeDrawer);

/** One order: what was ordered, where it goes, what happened to it, and what can be done with it. */
export function OrderPage() {
  const { id } = useParams<{ id: string }>();
  const query = useApi('GET /api/v1/orders/{id}', { params: { id } });
  return (
    <LoadedPage query={query} list={LISTS.orders}>
      {({ data }) => <Shown key={data.id} order={data} refetch={query.refetch} />}
    </LoadedPage>
  );
}

function Shown({ order, refetch }: { order: Order; refetch: () => unknown }) {
  const { id, external_id: name } = order;
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <PageHeader
        title={name === null ? 'Order' : `Order ${name}`}
        id={name === null ? id : undefined}
        parent={LISTS.orders}
        about={<OrderState order={order} />}
        actions={<CurlButton operation="GET /api/v1/orders/{id}" input={{ params: { id } }} />}
      />
      <OrderDetails order={order} refetch={refetch} onChange={() => setChanging(true)} />
      {isChanging && (
        <Suspense fallback={null}>
          <ChangeDrawer order={order} refetch={refetch} onClose={() => setChanging(false)} />
        </Suspense>
      )}
    </>
  );
}

function OrderState({ order }: { order: Order }) {
  return (
    <>
      <StatusBadge status={order.status} /> since {formatMoment(order.history.at(-1)?.at ?? order.updated_at)}
    </>
  );
}

function OrderDetails({ order, refetch, onChange }: { order: Order; refetch: () => unknown; onChange: () => void }) {
  const metadata = Object.keys(order.metadata).length > 0 ? visible(JSON.stringify(order.metadata, null, 2)) : undefined;
  return (
    <Stack gap="md">
      <Transitions order={order} refetch={refetch} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <OrderItems order={order} />
            <OrderDeeds order={order} refetch={refetch} />
            {metadata !== undefined && (
              <Section title="Metadata" about="What the sender of the order has kept with it.">
                <Code block tabIndex={0} aria-label="Metadata" className="outside-text">
                  {metadata}
                </Code>
              </Section>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <Section
              title="The order"
              actions={
                <ScopedButton scope="orders:write" look={{ size: 'xs' }} onClick={onChange}>
                  Change
                </ScopedButton>
              }
            >
              <Facts
                facts={[
                  ['Total', formatMoney(order.total, order.currency)],
                  [
                    'Customer',
                    <Anchor key="customer" component={Link} href={customerHref(order.customer_id)} size="sm">
                      <OutsideText>{order.customer_id}</OutsideText>
                    </Anchor>,
                  ],
                  ['External id', order.external_id === null ? 'none' : <OutsideText key="external">{order.external_id}</OutsideText>],
                  ['Stock', order.reserve && 'taken from stock for this order'],
                  ['Channel', order.channel && <OutsideText key="channel">{order.channel}</OutsideText>],
                  ['Id', order.id],
                  ['Placed', order.placed_at && formatMoment(order.placed_at)],
                  [order.imported ? 'Brought in' : 'Created', formatMoment(order.created_at)],
                  ['Changed', formatMoment(order.updated_at)],
                  ['Version', String(order.version)],
                ]}
              />
            </Section>
            <OrderPeople order={order} />
            <OrderHistory order={order} />
            <OrderChanges order={order} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
