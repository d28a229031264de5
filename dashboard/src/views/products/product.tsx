import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Product } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { formatDecimal } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { Section } from '../../parts/page/section.tsx';
import { EditProduct } from './edit-product.tsx';
import { idIn } from '../../parts/page/id-in.ts';
import { StatusBadge } from '../../parts/status/status.tsx';
import { ProductMembers, pricesText } from './product-members.tsx';
import { Stock } from './quantity.tsx';
import { ProductStockSection } from './stock/stock-section.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** One product: what it is, what it costs, how many there are. */
export function ProductPage() {
  const query = useApi('GET /api/v1/products/{product_id}', { params: { product_id: idIn(location.pathname) } });
  return (
    <LoadedPage query={query} list={LISTS.products}>
      {({ data }) => <Shown key={data.product_id} product={data} refetch={query.refetch} />}
    </LoadedPage>
  );
}

function Shown({ product, refetch }: { product: Product; refetch: () => unknown }) {
  const goOn = useGoOn();
  const [editing, setEditing] = useState<Product>();
  return (
    <>
      <PageHeader
        title={product.name}
        parent={LISTS.products}
        about={
          <>
            Changed <RelativeTime time={product.updated_at} />
          </>
        }
        actions={
          <>
            <ScopedButton scope="products:write" onClick={() => setEditing(product)}>
              Edit
            </ScopedButton>
            <ActionButton
              operation="DELETE /api/v1/products/{product_id}"
              input={{ params: { product_id: product.product_id } }}
              scope="products:write"
              look={{ color: 'red' }}
              done="The product is deleted."
              onDone={() => goOn('/products', { replace: true })}
              confirm={{
                title: 'Delete this product?',
                about:
                  'It goes from the catalogue for good. Orders keep what they say about it. If a system sends it again, it is created anew.',
              }}
            >
              Delete
            </ActionButton>
          </>
        }
      />
      <ProductFacts product={product} refetch={refetch} />
      {editing && <EditProduct product={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function ProductFacts({ product, refetch }: { product: Product; refetch: () => unknown }) {
  const { sku, barcode, prices, weight } = product;
  return (
    <Stack gap="md">
      <Section
        title="The product"
        actions={<CurlButton operation="GET /api/v1/products/{product_id}" input={{ params: { product_id: product.product_id } }} />}
      >
        <Facts
          facts={[
            [
              'Price',
              <span key="price" className="number">
                {formatDecimal(product.price)}
              </span>,
            ],
            ['Other prices', prices && <OutsideText key="prices">{pricesText(prices)}</OutsideText>],
            ['In stock', <Stock key="stock" quantity={product.stock_quantity} />],
            ['Categories', <CategoryLinks key="categories" names={product.categories} />],
            ['Status', product.status && <StatusBadge key="status" status={product.status} />],
            ['SKU', sku && <OutsideText key="sku">{sku}</OutsideText>],
            ['Barcode', barcode && <OutsideText key="barcode">{barcode}</OutsideText>],
            ['Weight', weight && `${weight.value} ${weight.unit}`],
            ['Id', <OutsideText key="id">{product.product_id}</OutsideText>],
            ['Created', formatMoment(product.created_at)],
            ['Changed', formatMoment(product.updated_at)],
            ['Version', String(product.version)],
          ]}
        />
      </Section>
      <ProductStockSection product={product} refetch={refetch} />
      <ProductMembers product={product} />
    </Stack>
  );
}

function CategoryLinks({ names }: { names: readonly string[] }) {
  if (names.length === 0)
    return (
      <Text span inherit>
        none
      </Text>
    );
  return (
    <Group gap="xs" component="span">
      {names.map((name) => (
        <Anchor key={name} component={Link} href={`/products?${new URLSearchParams({ category: name })}`} size="sm">
          <OutsideText>{name}</OutsideText>
        </Anchor>
      ))}
    </Group>
  );
}
