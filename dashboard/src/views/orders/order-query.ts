import type { Input } from '../../api/client.ts';
import { ORDER_STATUSES, type OrderStatus } from './transitions.ts';

export type OrderFilters = NonNullable<Input<'GET /api/v1/orders'>['query']>;

/** Ways to sort the list besides the usual one, newest first. */
export const ORDER_SORTS = ['created_at', '-placed_at', 'placed_at', '-updated_at', '-total', 'total'] as const;

/** The filters that the address of the page names, as the service takes them. Days are those of the browser. */
export function filtersIn(params: URLSearchParams): OrderFilters {
  const given = (name: string): string | undefined => params.get(name) || undefined;
  const statuses = statusesIn(params.get('status') ?? '');
  return {
    q: given('q'),
    status: statuses.length > 0 ? statuses : undefined,
    customer_id: given('customer_id'),
    external_id: given('external_id'),
    product_id: given('product_id'),
    channel: given('channel'),
    tag: given('tag'),
    currency: currencyIn(given('currency')),
    sort: ORDER_SORTS.find((sort) => sort === params.get('sort')),
    created_from: startOf(given('from'), 0),
    created_to: startOf(given('to'), 1),
    placed_from: startOf(given('placed_from'), 0),
    placed_to: startOf(given('placed_to'), 1),
  };
}

/** The statuses that are named, with commas between. What is none is passed over: it may be of a later version. */
export function statusesIn(names: string): OrderStatus[] {
  return names.split(',').flatMap((name) => ORDER_STATUSES.find((status): status is OrderStatus => status === name) ?? []);
}

/** While one types it is not a currency yet, and the service would refuse it. */
function currencyIn(text: string | undefined): string | undefined {
  const currency = text?.toUpperCase() ?? '';
  return /^[A-Z]{3}$/.test(currency) ? currency : undefined;
}

/** The first moment of a day such as 2026-11-01, or of one of those after it. */
function startOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
