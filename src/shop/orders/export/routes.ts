import { setImmediate as nextRound } from 'node:timers/promises';
import type { Database } from '../../../db/database.ts';
import { type Route, route, SentFile } from '../../../http/route.ts';
import { OneOf, Strict } from '../../../http/schemas.ts';
import { invalidParam } from '../../../lib/errors.ts';
import { BYTE_ORDER_MARK, safeCsvLine } from '../../../lib/safe-csv.ts';
import { Type } from '../../../lib/schema.ts';
import { ORDER_FILTERS, wishOf } from '../find/query.ts';
import { exportedPages } from './pages.ts';
import { EXPORT_ROWS, exportFields, exportRows, type ExportRows, parquetRows } from './rows.ts';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson', parquet: 'application/vnd.apache.parquet' } as const;
const EXPORT_FORMATS = ['csv', 'jsonl', 'parquet'] as const;

/** Packed in this thread: small enough that other requests do not wait long. */
const GROUP_SIZE = 1024 * 1024;

let turn = Promise.resolve();

/** One page in a round of the loop, of all exports: hundreds that are packed at once would hold up all other requests for half a minute. */
function takeTurn(): Promise<void> {
  turn = turn.then(() => nextRound());
  return turn;
}

const ExportQuery = Strict({
  ...ORDER_FILTERS,
  format: Type.Optional(
    OneOf(EXPORT_FORMATS, { default: 'csv', description: 'CSV for spreadsheets, JSON Lines with whole orders, or Parquet.' }),
  ),
  rows: Type.Optional(
    OneOf(EXPORT_ROWS, {
      default: 'orders',
      description: 'A row for each order, with its lines as JSON, or a row for each line. Of CSV and Parquet.',
    }),
  ),
});

const EXAMPLE_FILE = 'id,status,total,currency,…\r\nord_01kfa0v2m3f8rb4v3k7m2t9xqe,new,59.97,EUR,…\r\n';

/** All orders that are meant, as a file. */
export function exportRoute(db: Database): Route {
  return route({
    method: 'GET',
    path: '/api/v1/orders/export',
    scope: 'orders:read',
    tag: 'Orders',
    summary: 'Export orders as CSV, JSON Lines or Parquet',
    description:
      'Takes the filters of the list and sends all orders that match, oldest first, as they are read: memory does not grow with their number. Orders that come meanwhile are not in it. ' +
      'Amounts keep every digit. In CSV, text that a spreadsheet would take for a formula gets an apostrophe in front; JSON Lines and Parquet hold every value as it is. ' +
      'When reading fails on the way, the connection is cut: a file that ended well is whole.',
    query: ExportQuery,
    answer: Type.String({ description: 'A header and a row for each order, or for each of its lines.' }),
    fileType: 'text/csv',
    examples: { answer: EXAMPLE_FILE },
    answersAlso: {
      'application/x-ndjson': 'A whole order on each line, as `GET /orders/{id}` shows it.',
      'application/vnd.apache.parquet': 'The same columns as CSV; amounts are DECIMAL(28, 4), times TIMESTAMP in UTC, JSON is text.',
    },
    handle: async ({ query, principal }) => {
      const { format = 'csv', rows = 'orders', ...filters } = query;
      if (format === 'jsonl' && rows === 'lines') throw invalidParam('rows', 'must be left out with jsonl: each line is a whole order');
      const pages = exportedPages(db, { wish: wishOf(filters), whole: format === 'jsonl' });
      const told = async function* () {
        for await (const page of pages) {
          principal.tellRead({ action: 'orders.exported', objectId: '', rows: page.orders.length + page.whole.length });
          await takeTurn();
          yield page;
        }
      };
      return new SentFile(TYPES[format], `orders.${format}`, fileOf(format, rows, told()));
    },
  });
}

type Pages = ReturnType<typeof exportedPages>;

async function* fileOf(format: (typeof EXPORT_FORMATS)[number], rows: ExportRows, pages: Pages): AsyncGenerator<string | Buffer> {
  const fields = exportFields(rows);
  if (format === 'parquet') {
    // Loaded when it is first needed.
    const { parquetBytes, widenDigits } = await import('../../../lib/parquet-writer.ts');
    const tables = async function* () {
      for await (const { orders } of pages) yield orders.flatMap((order) => parquetRows(order, rows));
    };
    yield* parquetBytes(fields, widenDigits(new Map(), fields, []), tables(), GROUP_SIZE);
    return;
  }
  if (format === 'csv') yield BYTE_ORDER_MARK + safeCsvLine(fields.map(({ name }) => name));
  for await (const { orders, whole } of pages) {
    if (format === 'jsonl') yield whole.map((json) => `${json}\n`).join('');
    else yield orders.flatMap((order) => exportRows(order, rows).map(safeCsvLine)).join('');
  }
}
