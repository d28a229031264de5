import { aborted, OutsideError } from '../../../outside/errors.ts';
import { Batch } from '../../batch.ts';
import { BATCH_BYTES, type Filter, MAX_ROW_BYTES, type ReadRequest } from '../../contract.ts';
import { encodeValue } from '../../lines.ts';
import { type DuckdbDatabase, quote, type SqlValue } from '../database/open.ts';
import { columnNamed, type DuckdbColumn, type DuckdbTable, tableNamed } from '../database/schema.ts';
import { castSql, fromShown, meaningOf, shownSql, spelledFor } from '../database/column-values.ts';

/** A part of a statement, and the values in it. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** What a read is ordered by. */
interface Ordered {
  readonly column: string;
  readonly declared: string;
}

const ROWID: Ordered = { column: 'rowid', declared: 'BIGINT' };

// Of so many rows is nothing known yet. Then pages hold a few batches, as each looks through the whole table.
const FIRST_PAGE = 100;
const BATCHES_A_PAGE = 4;
const MOST_ROWS = 100_000;

/** How a page is read: with the file open, which is closed again afterwards. */
type Reading = <T>(work: (database: DuckdbDatabase) => Promise<T>) => Promise<T>;

type Texts = (string | null)[];

/**
 * Reads a page at a time and lets go of the file in between: as long as it is open for reading, nobody can write to it. A table without a key is
 * read in the order of its rows' numbers.
 */
export async function* read(reading: Reading, request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch> {
  const table = await reading(({ connection }) => tableNamed(connection, request.stream));
  const columns = request.fields.map((name) => demandColumn(table, name));
  const order = orderOf(table, request);
  const { batchBytes = BATCH_BYTES, batchRows = Number.MAX_SAFE_INTEGER } = request;
  let place = request.after === undefined ? { values: [] as Texts, offset: 0 } : positionOf(request.after, order.length);
  let left = request.limit ?? Number.MAX_SAFE_INTEGER;
  let wanted = FIRST_PAGE;
  while (left > 0) {
    if (signal.aborted) throw aborted();
    const most = Math.min(wanted, left);
    const rows = await reading((database) => pageOf(database, { table, columns, order, request }, place, most, signal));
    let bytes = 0;
    for (let at = 0; at < rows.length; ) {
      let [lines, count, size] = ['', 0, 0];
      for (; at < rows.length && size < batchBytes && count < batchRows; at++, count++) {
        const line = `${(rows[at] as Texts).slice(0, columns.length).map(encodeValue).join('\t')}\n`;
        if (line.length > MAX_ROW_BYTES)
          throw new OutsideError('data', 'ROW_TOO_LARGE', `A row has more than ${MAX_ROW_BYTES / 1024 / 1024} MB.`);
        lines += line;
        size += line.length;
      }
      bytes += size;
      const last = rows[at - 1] as Texts;
      place = order.length > 0 ? { values: last.slice(columns.length), offset: 0 } : { values: [], offset: place.offset + count };
      yield Batch.ofLines(Buffer.from(lines), { position: JSON.stringify(place), count });
      if (signal.aborted) throw aborted();
    }
    left -= rows.length;
    if (rows.length < most) return;
    const mean = Math.max(1, bytes / rows.length);
    wanted = Math.max(1, Math.min(MOST_ROWS, wanted * 8, Math.ceil((BATCHES_A_PAGE * batchBytes) / mean)));
  }
}

interface What {
  readonly table: DuckdbTable;
  readonly columns: readonly DuckdbColumn[];
  readonly order: readonly Ordered[];
  readonly request: ReadRequest;
}

/** Some rows behind a place: the texts of the columns, then those of what they are ordered by. */
async function pageOf(
  { connection }: DuckdbDatabase,
  { table, columns, order, request }: What,
  { values, offset }: { values: Texts; offset: number },
  most: number,
  signal: AbortSignal,
): Promise<Texts[]> {
  const conditions = (request.filters ?? []).map((filter) => filterOf(filter, demandColumn(table, filter.field)));
  if (request.cursor !== undefined) conditions.push({ sql: `${quote(request.cursor)} is not null`, values: [] });
  if (values.length > 0) conditions.push(behind(order, values));
  const where = conditions.length > 0 ? ` where ${conditions.map(({ sql }) => sql).join(' and ')}` : '';
  const by = order.length > 0 ? ` order by ${order.map(({ column }) => `${column} nulls first`).join(', ')}` : '';
  const list = [
    ...columns.map(({ name, declared }) => shownSql(quote(name), declared)),
    ...order.map(({ column, declared }) => shownSql(column, declared)),
  ];
  const sql = `select ${list.join(', ')} from main.${quote(table.name)}${where}${by} limit ${most} offset ${offset}`;
  const stop = (): void => connection.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const rows = (await connection.rows(
      sql,
      conditions.flatMap((condition) => [...condition.values]),
    )) as Texts[];
    const spell = [...columns, ...order].map(({ declared }) => fromShown(meaningOf(declared)));
    return spell.some(Boolean) ? rows.map((row) => row.map((text, at) => (text === null ? null : (spell[at]?.(text) ?? text)))) : rows;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function demandColumn(table: DuckdbTable, name: string): DuckdbColumn {
  const column = columnNamed(table, name);
  if (column) return column;
  throw new OutsideError('config', 'FIELD_MISSING', `The table "${table.name}" has no column "${name}".`);
}

/** Something unique, where there is: the cursor first, then the key, or the number of the row. */
function orderOf(table: DuckdbTable, { key, cursor }: ReadRequest): Ordered[] {
  const ordered = (name: string): Ordered => {
    const { name: column, declared } = demandColumn(table, name);
    return { column: quote(column), declared };
  };
  const first = cursor === undefined ? [] : [ordered(cursor)];
  const unique = (table.kind === 'table' && table.key.length > 0 ? table.key : key).filter((name) => name !== cursor);
  for (const name of key) demandColumn(table, name);
  if (table.kind === 'table') return [...first, ...(table.key.length > 0 ? unique.map(ordered) : [ROWID])];
  if (cursor !== undefined && key.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', `To read the view "${table.name}" by cursor, its key has to be named.`);
  return [...first, ...unique.map(ordered)];
}

function positionOf(position: string, columns: number): { values: (string | null)[]; offset: number } {
  try {
    const { values, offset } = JSON.parse(position) as { values: (string | null)[]; offset: number };
    if (values.length === columns && values.every((value) => value === null || typeof value === 'string') && Number.isSafeInteger(offset))
      return { values, offset };
  } catch {
    // Not one of ours: answered below.
  }
  throw new OutsideError('config', 'POSITION_INVALID', 'The position does not belong to this stream.', { hint: 'Start the read anew.' });
}

/** A value of a column as a part of a statement; undefined when it is none of its type. */
function bound(declared: string, value: string): Condition | undefined {
  const spelled = spelledFor(declared)(value);
  return spelled === undefined ? undefined : { sql: castSql('?::varchar', declared), values: [spelled] };
}

/** Rows behind these values, in an order in which nulls come first. */
function behind(order: readonly Ordered[], values: readonly (string | null)[]): Condition {
  const all: SqlValue[] = [];
  const literal = (at: number): string => {
    const condition = bound(order[at]?.declared ?? '', values[at] ?? '');
    if (!condition)
      throw new OutsideError('config', 'POSITION_INVALID', 'The position does not belong to this stream.', {
        hint: 'Start the read anew.',
      });
    all.push(...condition.values);
    return condition.sql;
  };
  const tests = order.map(({ column }, at) => {
    const same = order
      .slice(0, at)
      .map((other, index) => (values[index] === null ? `${other.column} is null` : `${other.column} = ${literal(index)}`));
    return `(${[...same, values[at] === null ? `${column} is not null` : `${column} > ${literal(at)}`].join(' and ')})`;
  });
  return { sql: `(${tests.join(' or ')})`, values: all };
}

function filterOf({ field, op, value }: Filter, { name, declared }: DuckdbColumn): Condition {
  const column = quote(name);
  if (op === 'is_null') return { sql: `${column} is null`, values: [] };
  if (op === 'not_null') return { sql: `${column} is not null`, values: [] };
  const given = (typeof value === 'string' ? [value] : (value ?? [])).map((one) => {
    const condition = bound(declared, one);
    if (!condition) throw new OutsideError('config', 'FILTER_INVALID', `The filter on "${field}" has a value that is not of its type.`);
    return condition;
  });
  const values = given.flatMap((one) => [...one.values]);
  if (op !== 'in') return { sql: `${column} ${op} ${given[0]?.sql ?? 'null'}`, values };
  return { sql: given.length > 0 ? `${column} in (${given.map(({ sql }) => sql).join(', ')})` : 'false', values };
}
