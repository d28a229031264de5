import { Box, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../../api/queries.ts';
import type { Product, ProductStock } from '../../../api/resources.ts';
import { ActionButton } from '../../../parts/action/action-button.tsx';
import { ScopedButton } from '../../../parts/action/scoped-button.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { plural } from '../../../parts/words/format.ts';
import { CountDialog } from './count-dialog.tsx';
import { MovementDialog } from './movement-dialog.tsx';
import { StockLedger } from './stock-ledger.tsx';
import { StockLevels } from './stock-levels.tsx';

interface StockProps {
  product: Product;
  refetch: () => unknown;
}

/** How much of a product is where, what has moved, and the forms for it. */
export function ProductStockSection({ product, refetch }: StockProps) {
  const query = useApi('GET /api/v1/products/{product_id}/stock', { params: { product_id: product.product_id }, query: { limit: 1 } });
  if (query.error && !query.data) return <ErrorState error={query.error} title="The stock could not be loaded" retry={query.refetch} />;
  return (
    <Loaded query={query} skeleton={<Skeleton h={160} />}>
      {({ data: stock, total }) => (
        <Stack gap="md">
          <Section
            title="Stock"
            about={stock.track_stock ? trackedWords(stock) : `${plural(stock.on_hand, 'unit')}, as it was last sent. It is not tracked.`}
            {...(stock.track_stock && { actions: <StockForms product={product} stock={stock} refetch={refetch} />, flush: true })}
          >
            {stock.track_stock && <StockLevels stock={stock} />}
            <Box {...(stock.track_stock && { px: 'md', py: 'sm' })}>
              <Switches product={product} stock={stock} />
            </Box>
          </Section>
          {total > 0 && <StockLedger stock={stock} />}
        </Stack>
      )}
    </Loaded>
  );
}

function trackedWords({ allow_backorder }: ProductStock): string {
  return allow_backorder
    ? 'Tracked. Orders may reserve more than there is.'
    : 'Tracked. An order that reserves more than is available is refused.';
}

function StockForms({ product, stock, refetch }: StockProps & { stock: ProductStock }) {
  const [asking, setAsking] = useState<{ form: 'move' } | { form: 'count'; version: number }>();
  const close = (): void => setAsking(undefined);
  return (
    <>
      <ScopedButton scope="products:write" look={{ size: 'xs' }} onClick={() => setAsking({ form: 'move' })}>
        Add or take away
      </ScopedButton>
      <ScopedButton scope="products:write" look={{ size: 'xs' }} onClick={() => setAsking({ form: 'count', version: product.version })}>
        Count
      </ScopedButton>
      {asking?.form === 'move' && <MovementDialog stock={stock} onClose={close} />}
      {asking?.form === 'count' && <CountDialog product={product} version={asking.version} refetch={refetch} onClose={close} />}
    </>
  );
}

/** Whether it is tracked, and whether more may be promised than there is. */
function Switches({ product: { product_id }, stock }: { product: Product; stock: ProductStock }) {
  const params = { product_id };
  if (!stock.track_stock) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          When it is tracked, every unit that comes and goes is in a ledger, at each location, and orders can reserve what they need.
        </Text>
        <ActionButton
          operation="PATCH /api/v1/products/{product_id}"
          input={{ params, body: { track_stock: true } }}
          scope="products:write"
          done="The stock is tracked from now on."
          look={{ size: 'xs' }}
          confirm={{
            title: 'Track the stock?',
            about: `The ledger begins with ${plural(stock.on_hand, 'unit')}. A quantity that another system sends is a count from then on.`,
          }}
        >
          Track the stock
        </ActionButton>
      </Stack>
    );
  }
  return (
    <Group gap="xs">
      <ActionButton
        operation="PATCH /api/v1/products/{product_id}"
        input={{ params, body: { allow_backorder: !stock.allow_backorder } }}
        scope="products:write"
        done={stock.allow_backorder ? 'Orders can reserve what there is, and no more.' : 'Orders may reserve more than there is.'}
        look={{ size: 'xs' }}
      >
        {stock.allow_backorder ? 'Refuse backorders' : 'Allow backorders'}
      </ActionButton>
      <ActionButton
        operation="PATCH /api/v1/products/{product_id}"
        input={{ params, body: { track_stock: false } }}
        scope="products:write"
        unavailable={
          stock.reserved > 0
            ? `${plural(stock.reserved, 'unit')} of it ${stock.reserved === 1 ? 'is' : 'are'} reserved for orders.`
            : undefined
        }
        done="The stock is not tracked any more."
        look={{ size: 'xs' }}
        confirm={{
          title: 'Stop tracking the stock?',
          about: 'The ledger stays, and ends. Orders can no longer reserve it. The number of units stays what it is.',
        }}
      >
        Stop tracking
      </ActionButton>
    </Group>
  );
}
