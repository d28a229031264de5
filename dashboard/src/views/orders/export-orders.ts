import { requestOf, send } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { Order } from '../../api/resources.ts';
import { BYTE_ORDER_MARK, csvLines } from './csv.ts';
import type { Exact, ExportKind } from './export-columns.ts';
import type { OrderFilters } from './order-query.ts';

/** As many as the service gives at once. */
const PAGE = 1000;
const ATTEMPTS = 5;

interface Progress {
  done: number;
  total: number;
}

interface Page {
  data: Exact<Order>[];
  total: string;
  next_cursor: string | null;
}

/**
 * Every order that the filters let through as a CSV file, page after page along the cursor. The pages are handed to the
 * browser as they come, which keeps them outside of the memory of the page.
 */
export async function exportOrders(
  kind: ExportKind,
  filters: OrderFilters,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const parts = [new Blob([BYTE_ORDER_MARK, csvLines([kind.header])])];
  let done = 0;
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await readPage({ ...filters, cursor }, signal);
    parts.push(new Blob([csvLines(page.data.flatMap(kind.rows))]));
    done += page.data.length;
    onProgress({ done, total: Number(page.total) });
    cursor = page.next_cursor;
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' });
}

/** A thousand requests should not be in vain because of one: what may well pass is tried again. */
async function readPage(query: OrderFilters, signal: AbortSignal): Promise<Page> {
  const { path } = requestOf('GET /api/v1/orders', { query: { ...query, expand: 'all', limit: PAGE } });
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await send(path, { signal });
      return JSON.parse(await response.text(), asWritten) as Page;
    } catch (error) {
      if (!(error instanceof ApiError && error.isPassing) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
      signal.throwIfAborted();
    }
  }
}

/** Numbers as the digits that were sent; a browser that cannot tell them gives its own spelling. */
function asWritten(_member: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}
