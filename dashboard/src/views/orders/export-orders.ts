import { type Input, requestOf, send } from '../../api/client.ts';
import { unreachable } from '../../api/errors.ts';

export type ExportQuery = NonNullable<Input<'GET /api/v1/orders/export'>['query']>;

export interface ExportKind {
  label: string;
  /** The beginning of the name of the file, and its end. */
  name: string;
  format: NonNullable<ExportQuery['format']>;
  rows?: ExportQuery['rows'];
}

/** What the service can make of orders. */
export const EXPORTS: readonly { title: string; kinds: readonly ExportKind[] }[] = [
  {
    title: 'CSV, for spreadsheets',
    kinds: [
      { label: 'A row for each order', name: 'orders', format: 'csv' },
      { label: 'A row for each item', name: 'order-items', format: 'csv', rows: 'lines' },
    ],
  },
  { title: 'JSON Lines, for programs', kinds: [{ label: 'Whole orders, one on each line', name: 'orders', format: 'jsonl' }] },
  {
    title: 'Parquet, for analysis',
    kinds: [
      { label: 'A row for each order', name: 'orders', format: 'parquet' },
      { label: 'A row for each item', name: 'order-items', format: 'parquet', rows: 'lines' },
    ],
  },
];

/** What is collected before it is handed to the browser, which keeps it outside of the memory of the page. */
const PIECE = 8_000_000;

/** The file as the service makes it, with the key of this tab. One that was cut off is no file: it throws. */
export async function exportOrders(query: ExportQuery, onBytes: (bytes: number) => void, signal: AbortSignal): Promise<Blob> {
  const { path } = requestOf('GET /api/v1/orders/export', { query });
  const response = await send(path, { signal, headers: { accept: '*/*' } });
  const pieces: Blob[] = [];
  let [chunks, waiting, bytes]: [Uint8Array<ArrayBuffer>[], number, number] = [[], 0, 0];
  const reader = (response.body ?? new Blob().stream()).getReader();
  const read = () =>
    reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : unreachable();
    });
  for (let { done, value } = await read(); !done && value; { done, value } = await read()) {
    chunks.push(value);
    waiting += value.length;
    bytes += value.length;
    onBytes(bytes);
    if (waiting < PIECE) continue;
    pieces.push(new Blob(chunks));
    [chunks, waiting] = [[], 0];
  }
  return new Blob([...pieces, ...chunks], { type: response.headers.get('content-type') ?? '' });
}
