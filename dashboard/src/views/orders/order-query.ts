import type { Input } from '../../api/client.ts';
import { ORDER_STATUSES, type OrderStatus } from './transitions.ts';

export type OrderFilters = NonNullable<Input<'GET /api/v1/orders'>['query']>;

/** Ways to sort the list besides the usual one, newest first. */
export const ORDER_SORTS = ['created_at', '-updated_at', '-total', 'total'] as const;

/** The filters that the address of the page names, as the service takes them. Days are those of the browser. */
export function filtersIn(params: URLSearchParams): OrderFilters {
  const given = (name: string): string | undefined => params.get(name) || undefined;
  const statuses = (params.get('status') ?? '')
    .split(',')
    .flatMap((name) => ORDER_STATUSES.find((status): status is OrderStatus => status === name) ?? []);
  return {
    q: given('q'),
    status: statuses.length > 0 ? statuses : undefined,
    customer_id: given('customer_id'),
    external_id: given('external_id'),
    product_id: given('product_id'),
    channel: given('channel'),
    tag: given('tag'),
    sort: ORDER_SORTS.find((sort) => sort === params.get('sort')),
    created_from: startOf(given('from'), 0),
    created_to: startOf(given('to'), 1),
  };
}

/** The first moment of a day such as 2026-11-01, or of one of those after it. */
function startOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  const time = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
