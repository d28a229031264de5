import { useApi } from '../../api/queries.ts';
import type { ListedOrder } from '../../api/resources.ts';
import { statusWord } from '../../parts/status/status.tsx';
import { formatMoney } from '../../parts/words/money.ts';
import { customerHref } from '../../views/customers/customer-address.ts';
import { customersIn } from '../../views/customers/found-customers.ts';
import { productHref } from '../../views/products/product-address.ts';
import { useMay } from '../me.tsx';
import type { Entry } from './match.ts';

const MOST = 5;
/** Of so many orders the customers are told. */
const LOOKED_AT = 20;
/** Fewer letters would find everything. */
const SHORTEST = 2;

/** What the service finds: runs and orders by their ids, and orders, customers and products by words. */
export function useAsked(typed: string): { entries: Entry[]; isAsking: boolean } {
  const may = useMay();
  const q = typed.trim().slice(0, 200);
  const asks = q.length >= SHORTEST && /[\p{L}\p{N}]/u.test(q);
  const asksOrders = asks && may('orders:read');
  const asksProducts = asks && may('products:read');
  const orders = useApi('GET /api/v1/orders', { query: { q, expand: 'all', limit: LOOKED_AT } }, { enabled: asksOrders });
  const products = useApi('GET /api/v1/products', { query: { q, limit: MOST } }, { enabled: asksProducts });
  const listed = asksOrders ? (orders.data?.data ?? []) : [];
  const customers = customersIn(listed, q).slice(0, MOST);
  return {
    entries: [
      ...byId(q, may('datasync:read'), may('orders:read')),
      ...listed
        .filter(({ id }) => id !== q)
        .slice(0, MOST)
        .map(orderEntry),
      ...customers.map(
        ({ id, name, email }): Entry => ({
          id: `customer ${id}`,
          group: 'Customers',
          label: name ?? id,
          note: email ?? id,
          to: customerHref(id),
        }),
      ),
      ...(asksProducts ? (products.data?.data ?? []) : []).map(
        ({ product_id, name }): Entry => ({
          id: `product ${product_id}`,
          group: 'Products',
          label: name,
          note: product_id,
          to: productHref(product_id),
        }),
      ),
    ],
    isAsking: (asksOrders && orders.isFetching) || (asksProducts && products.isFetching),
  };
}

function orderEntry({ id, external_id, customer, status, total, currency }: ListedOrder): Entry {
  const about = [customer?.name, currency === undefined ? undefined : formatMoney(total, currency), statusWord(status)];
  return { id, group: 'Orders', label: external_id ?? id, note: about.filter(Boolean).join(' · '), to: `/orders/${id}` };
}

/** An id says what it is of. Whether there is such a thing its page tells. */
function byId(q: string, mayRuns: boolean, mayOrders: boolean): Entry[] {
  const [, kind] = /^(run|ord)_[0-9a-z]{26}$/.exec(q) ?? [];
  if (kind === 'run' && mayRuns) return [{ id: q, group: 'Runs', label: q, note: 'Open the run', to: `/runs/${q}` }];
  if (kind === 'ord' && mayOrders) return [{ id: `id ${q}`, group: 'Orders', label: q, note: 'Open the order', to: `/orders/${q}` }];
  return [];
}
