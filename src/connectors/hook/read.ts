import { isJson } from '../../lib/exact-json.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import { BATCH_BYTES, type ReadRequest } from '../contract.ts';
import { FIELDS } from './stream.ts';
import type { HookPort, KeptCall } from '../hook-port.ts';

/** Calls that are asked for at a time; large ones come in smaller pages. */
const PAGE = 500;
const CURSOR = 'sequence';

/** Reads the calls in their order, behind the last one that was read. A read for all of them is the same from the beginning. */
export async function* readCalls(hooks: HookPort, id: string, request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch> {
  const places = request.fields.map((name) => {
    const place = FIELDS.findIndex((field) => field.name === name);
    if (place === -1) throw new OutsideError('config', 'FIELD_MISSING', `A call has no field "${name}".`);
    return place;
  });
  if (request.filters?.length)
    throw new OutsideError('config', 'FILTER_UNSUPPORTED', 'Calls of a hook are not filtered.', { hint: 'Filter at the target.' });
  if (request.cursor !== undefined && request.cursor !== CURSOR)
    throw new OutsideError('config', 'CURSOR_UNSUPPORTED', `Calls of a hook are not read by "${request.cursor}".`, {
      hint: `The cursor is ${CURSOR}.`,
    });
  const isStopped = (): boolean => signal.aborted || request.signal?.aborted === true;
  const bytes = request.batchBytes ?? BATCH_BYTES;
  const most = request.batchRows ?? Number.POSITIVE_INFINITY;
  let left = request.limit ?? Number.POSITIVE_INFINITY;
  let after = sequenceOf(request.after);
  while (left > 0) {
    if (isStopped()) throw aborted();
    const calls = await hooks.read(id, after, Math.min(PAGE, left));
    if (calls.length === 0) return;
    left -= calls.length;
    let rows: Row[] = [];
    let size = 0;
    for (const call of calls) {
      const row = rowOf(id, call);
      const length = row.reduce((sum, value) => sum + (value?.length ?? 0) + 1, 0);
      if (rows.length > 0 && (size + length > bytes || rows.length >= most)) {
        yield Batch.ofRows(rows, { position: positionOf(after) });
        if (isStopped()) throw aborted();
        rows = [];
        size = 0;
      }
      rows.push(places.map((place) => row[place] ?? null));
      size += length;
      after = call.seq;
    }
    yield Batch.ofRows(rows, { position: positionOf(after) });
  }
}

function rowOf(id: string, { seq, received_at, sender_id, headers, body, encoding }: KeptCall): Row {
  const isJsonBody = encoding === 'utf8' && isJson(body);
  return [
    String(seq),
    `${id}.${seq}`,
    `${received_at.replace('T', ' ').replace(/(?:\.0*|(\.\d*?)0*)?Z$/, '$1')}+00`,
    sender_id,
    headers,
    isJsonBody ? body : JSON.stringify(body),
    isJsonBody ? 'json' : encoding === 'utf8' ? 'text' : 'base64',
  ];
}

function positionOf(seq: number): string {
  return JSON.stringify({ after: seq });
}

function sequenceOf(position: string | undefined): number {
  if (position === undefined) return 0;
  const [, digits] = /^\{"after":(\d{1,15})\}$/.exec(position) ?? [];
  if (digits === undefined) throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of the calls of a hook.');
  return Number(digits);
}
