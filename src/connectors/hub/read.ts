import { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import { BATCH_BYTES, type ReadRequest } from '../contract.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import type { ShopPort } from '../shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../shop-streams.ts';

// An order is about this large. The page grows or shrinks with what was seen, but not far: the next orders may have 500
// items each, and all of a page is in memory.
const TYPICAL_ORDER = 500;
const MAX_PAGE = 500;

/** Reads pages until there is no more. With a cursor it then goes on with what was changed since, in the order of commits. */
export async function* readStream(shop: ShopPort, stream: ShopStream, request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch> {
  const { fields } = SHOP_STREAMS[stream];
  const places = request.fields.map((name) => {
    const place = fields.findIndex((field) => field.name === name);
    if (place === -1) throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${name}".`);
    return place;
  });
  if (request.cursor !== undefined && request.cursor !== SHOP_STREAMS[stream].cursor)
    throw new OutsideError('config', 'CURSOR_UNSUPPORTED', `The stream "${stream}" is not read by "${request.cursor}".`);
  if (request.filters?.length) throw new OutsideError('config', 'FILTER_UNSUPPORTED', 'The shop does not filter; filter at the target.');
  const size = request.batchBytes ?? BATCH_BYTES;
  let position = request.after;
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  const largest = Math.min(MAX_PAGE, request.batchRows ?? MAX_PAGE);
  let most = Math.max(1, Math.min(largest, left, Math.floor(size / TYPICAL_ORDER)));
  for (let isTable = !isEvents(position); ; ) {
    if (signal.aborted || request.signal?.aborted) throw aborted();
    const before = position;
    const page = await shop.read(stream, position, most, request.cursor !== undefined);
    position = page.position;
    const rows = page.rows.slice(0, left).map((row): Row => places.map((place) => row[place] ?? null));
    left -= rows.length;
    if (page.deleted.length > 0)
      yield Batch.ofRows(page.deleted, { position: rows.length > 0 ? (before ?? position) : position, operation: 'delete' });
    if (rows.length > 0 || page.complete) yield Batch.ofRows(rows, { position });
    if (left <= 0 || (page.complete && (!isTable || request.cursor === undefined))) return;
    if (page.complete) isTable = false;
    most = Math.max(1, Math.min(largest, left, Math.round((most * size) / Math.max(1, bytesOf(rows)))));
  }
}

/** Whether the table is behind a position, and only events follow. */
function isEvents(position: string | undefined): boolean {
  return position !== undefined && /"table":null/.test(position);
}

function bytesOf(rows: readonly Row[]): number {
  let bytes = 0;
  for (const row of rows) for (const value of row) bytes += (value?.length ?? 0) + 1;
  return bytes;
}
