import { Badge, Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Product } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { formatCount } from '../../parts/words/format.ts';
import { formatDecimal } from '../../parts/words/money.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { productHref } from './product-address.ts';
import { Stock } from './quantity.tsx';

const PAGE = 50;
const MOST_CATEGORIES = 3;

const COLUMNS: readonly Column<Product>[] = [
  {
    header: 'Product',
    cell: ({ name, status }) => (
      <>
        <OutsideText>{name}</OutsideText>
        {status !== undefined && status !== 'active' && (
          <Text span size="xs" c="dimmed">
            {' '}
            ({status})
          </Text>
        )}
      </>
    ),
  },
  {
    header: 'Id',
    cell: ({ product_id }) => (
      <Text span ff="monospace" size="xs">
        <OutsideText>{product_id}</OutsideText>
      </Text>
    ),
  },
  { header: 'Price', cell: ({ price }) => formatDecimal(price), numeric: true, width: 110 },
  { header: 'Stock', cell: ({ stock_quantity }) => <Stock quantity={stock_quantity} />, numeric: true, width: 110 },
  { header: 'Categories', cell: ({ categories }) => <Categories names={categories} /> },
  { header: 'Changed', cell: ({ updated_at }) => <RelativeTime time={updated_at} />, width: 130 },
];

/** The catalogue, with a search. */
export function Products() {
  const [params, setParams] = useSearchParams();
  const query = { q: params.get('q') || undefined, category: params.get('category') || undefined, limit: PAGE };
  const pages = usePages('GET /api/v1/products', { query });
  const isFiltered = query.q !== undefined || query.category !== undefined;
  return (
    <>
      <PageHeader
        title="Products"
        about="What the shop sells: names, prices and stock, by their ids."
        actions={<CurlButton operation="GET /api/v1/products" input={{ query }} />}
      />
      <SimpleGrid component="search" cols={{ base: 1, xs: 2 }} spacing="sm" mb="md" maw={640} aria-label="Filter products">
        <FilterText label="Search" name="q" placeholder="In the name or the id" maxLength={200} />
        <FilterText label="Category" name="category" placeholder="Its exact name" maxLength={100} />
      </SimpleGrid>
      <Section title={isFiltered ? 'Products that match' : 'All products'} flush>
        <DataTable
          label="Products"
          columns={COLUMNS}
          rows={pages.rows}
          rowKey={({ product_id }) => product_id}
          href={({ product_id }) => productHref(product_id)}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            isFiltered ? (
              <EmptyState
                title="No product matches."
                actions={
                  <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                    Clear the filters
                  </Button>
                }
              >
                The search looks for the text in names and ids, in any case. A category must be written exactly as the product has it.
              </EmptyState>
            ) : (
              <EmptyState
                title="There is no product yet."
                actions={
                  <Button component="a" href="/docs" target="_blank" rel="noreferrer" variant="default">
                    See how to send one
                  </Button>
                }
              >
                Products come by POST /api/v1/products/sync, or from a synchronization that writes to the shop.
              </EmptyState>
            )
          }
        />
      </Section>
    </>
  );
}

function Categories({ names }: { names: readonly string[] }) {
  const more = names.length - MOST_CATEGORIES;
  return (
    <Group gap={4}>
      {names.slice(0, MOST_CATEGORIES).map((name) => (
        <Badge key={name} variant="default" tt="none" fw={400}>
          <OutsideText>{name}</OutsideText>
        </Badge>
      ))}
      {more > 0 && (
        <Text span size="xs" c="dimmed">
          and {formatCount(more)} more
        </Text>
      )}
    </Group>
  );
}
