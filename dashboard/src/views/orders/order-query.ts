import type { Input } from '../../api/client.ts';
import { ORDER_STATUSES, type OrderStatus } from './transitions.ts';

export type OrderFilters = NonNullable<Input<'GET /api/v1/orders'>['query']>;

/** The filters that the address of the page names, as the service takes them. Days are those of the browser. */
export function filtersIn(params: URLSearchParams): OrderFilters {
  const given = (name: string): string | undefined => params.get(name) || undefined;
  return {
    status: ORDER_STATUSES.find((status): status is OrderStatus => status === params.get('status')),
    customer_id: given('customer_id'),
    external_id: given('external_id'),
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
