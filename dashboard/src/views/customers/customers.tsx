import { Button, Group, SimpleGrid } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Customer } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { MomentCell, TextCell } from '../../parts/table/cells.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatCount, plural } from '../../parts/words/format.ts';
import { formatMoney } from '../../parts/words/money.ts';
import { customerHref } from './customer-address.ts';
import { customersIn, type FoundCustomer } from './found-customers.ts';

const PAGE = 50;
/** So many orders are looked at for customers at a time. */
const LOOKED_AT = 200;

const COLUMNS: readonly Column<Customer>[] = [
  { header: 'Customer', cell: ({ id }) => <TextCell text={id} /> },
  { header: 'Name', cell: ({ customer }) => <TextCell text={customer?.name} /> },
  { header: 'E-mail', cell: ({ customer }) => <TextCell text={customer?.email} /> },
  { header: 'Orders', cell: ({ orders }) => formatCount(orders), numeric: true },
  { header: 'Sum', cell: ({ totals }) => totals.map(({ currency, total }) => formatMoney(total, currency)).join(' + '), numeric: true },
  { header: 'Last order', cell: ({ last_order }) => <MomentCell time={last_order.created_at} /> },
];

const FOUND_COLUMNS: readonly Column<FoundCustomer>[] = [
  { header: 'Customer', cell: ({ id }) => <TextCell text={id} /> },
  { header: 'Name', cell: ({ name }) => <TextCell text={name} /> },
  { header: 'E-mail', cell: ({ email }) => <TextCell text={email} /> },
  { header: 'Last order', cell: ({ last }) => <MomentCell time={last} /> },
];

/** Those who ordered, as their orders tell. */
export function Customers() {
  const [params] = useSearchParams();
  const q = params.get('q') ?? '';
  return (
    <>
      <PageHeader
        title="Customers"
        about="Those who ordered, as their orders tell: names, sums and what they ordered."
        actions={<CurlButton operation="GET /api/v1/customers" input={{ query: { limit: PAGE } }} />}
      />
      <SimpleGrid component="search" cols={{ base: 1, xs: 2 }} spacing="sm" mb="md" maw={640} aria-label="Filter customers">
        <FilterText label="Find" name="q" placeholder="Name, e-mail or id" maxLength={200} />
      </SimpleGrid>
      {/\p{L}|\p{N}/u.test(q) ? <Found q={q} /> : <AllCustomers />}
    </>
  );
}

function AllCustomers() {
  const pages = usePages('GET /api/v1/customers', { query: { limit: PAGE } });
  return (
    <Section title="All customers" flush>
      <DataTable
        label="Customers"
        isOneLine
        columns={COLUMNS}
        rows={pages.rows}
        rowKey={({ id }) => id}
        href={({ id }) => customerHref(id)}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: PAGE }}
        empty={
          <EmptyState
            title="There is no customer yet."
            actions={
              <Button component={Link} href="/orders" variant="default">
                Go to the orders
              </Button>
            }
          >
            Customers are those whom orders name: with the first order of one, their name, their orders and the sum of them are here.
            Nothing has to be made for it.
          </EmptyState>
        }
      />
    </Section>
  );
}

/** The search of orders knows who ordered; so those are found whose orders are. */
function Found({ q }: { q: string }) {
  const pages = usePages('GET /api/v1/orders', { query: { q, expand: 'all', limit: LOOKED_AT } });
  const found = pages.rows && customersIn(pages.rows, q);
  const isMore = pages.next !== undefined || pages.page > 0;
  return (
    <Section
      title="Customers that match"
      about={
        found && isMore && pages.total !== undefined
          ? `${plural(found.length, 'customer')} in ${formatCount(pages.rows?.length ?? 0)} of ${plural(pages.total, 'order')} that match, newest first.`
          : undefined
      }
      flush
    >
      <DataTable
        label="Customers"
        isOneLine
        columns={FOUND_COLUMNS}
        rows={found}
        rowKey={({ id }) => id}
        href={({ id }) => customerHref(id)}
        error={pages.error}
        refetch={pages.refetch}
        empty={
          <EmptyState title="No customer matches.">
            Each word has to begin a word of the name, the e-mail or the id, as the orders have them. Upper and lower case and accents make
            no difference.
            {isMore && ' There are more orders to look at, below.'}
          </EmptyState>
        }
      />
      {isMore && (
        <Group component="nav" justify="flex-end" px="md" py="xs" gap="xs" aria-label="More of the orders that match">
          <Button size="xs" variant="default" disabled={!pages.previous} onClick={pages.previous}>
            In newer orders
          </Button>
          <Button size="xs" variant="default" disabled={!pages.next} onClick={pages.next}>
            In older orders
          </Button>
        </Group>
      )}
    </Section>
  );
}
