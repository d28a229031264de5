import { Batch } from '../../batch.ts';
import { BATCH_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { lastRow } from '../../lines.ts';
import { Recycler } from '../../recycler.ts';
import type { Relation } from '../catalogue/relations.ts';
import { columnOf, tuple } from './conditions.ts';
import { memoryFor } from '../wire/copy.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { PostgresReadPlan, OpenRead } from './plan.ts';
import { readExpression } from '../catalogue/column-types.ts';

// Pages are short statements: no vacuum waits for us.
const PAGE_BATCHES = 16;
const LONGEST_PAGE = 1_000_000;
/** Before anything was seen, a row is taken to be large, so that the first page is not long. */
const GUESSED_ROW = 8_192;

// Of a table without statistics, as one is that was just loaded, a server takes every range to be small, and sorts it instead of following the index: a
// third more work, and files on its disk.
const IN_ORDER = 'set enable_bitmapscan = off';
const AS_BEFORE = 'reset enable_bitmapscan';

/** One statement under way. */
interface OpenPage {
  link: Link;
  next: () => Promise<{ bytes: Buffer; rows: number } | undefined>;
  /** The most rows it can have. */
  limit: number;
  /** Where it ends; null when that is not known, or it is the last. */
  until: string[] | null;
}

/** Everything that the plan names, page by page. */
export async function* pages(links: Links, { link, relation, request }: OpenRead, plan: PostgresReadPlan): AsyncGenerator<Batch> {
  const { order } = plan;
  const batchBytes = request.batchBytes ?? BATCH_BYTES;
  const pageBytes = PAGE_BATCHES * batchBytes;
  const memory = new Recycler(memoryFor(batchBytes));
  const places = order.map((name) => request.fields.indexOf(name));
  if (places.includes(-1))
    throw new OutsideError('config', 'FIELD_MISSING', 'The fields of the key and the cursor have to be among the fields.');
  const list = request.fields.map((field) => expressionOf(relation, field)).join(', ');
  const shape = await shapeOf(link, relation, request.fields);
  const seen = { last: plan.last, rows: plan.rows, given: 0, bytes: 0 };

  /** Gives what a page has; answers whether another follows. */
  async function* drain(page: OpenPage): AsyncGenerator<Batch, boolean> {
    const before = seen.given;
    for (let lines = await page.next(); lines; lines = await page.next()) {
      links.demandGoing(request.signal);
      seen.rows += lines.rows;
      seen.given += lines.rows;
      seen.bytes += lines.bytes.length;
      const row = order.length > 0 ? lastRow(lines.bytes) : undefined;
      if (row) seen.last = places.map((place) => row[place] as string);
      const position = plan.positionOf(seen.last, seen.rows);
      yield Batch.ofLines(lines.bytes, { count: lines.rows, position, recycle: memory.giveBack });
    }
    if ((await shapeOf(page.link, relation, request.fields)) !== shape) throw changed(request.stream);
    return page.until !== null || (order.length > 0 && seen.given - before === page.limit);
  }

  const startLimited = (limit: number): OpenPage => {
    const behind = { last: seen.last, until: null, skip: seen.rows, limit };
    return {
      link,
      ...link.copyOut(pageStatement(relation, list, plan, behind), batchBytes, memory, request.batchRows),
      limit,
      until: null,
    };
  };
  /** A page that ends at a row which is looked up first, so that the one after it can start before this one is through. */
  const startRange = async (on: Link, last: string[] | null): Promise<OpenPage> => {
    const until = await boundary(on, relation, order, last, pageRows(seen, pageBytes / 2));
    const statement = pageStatement(relation, list, plan, { last, until, skip: 0, limit: Number.POSITIVE_INFINITY });
    return { link: on, ...on.copyOut(statement, batchBytes, memory, request.batchRows), limit: Number.POSITIVE_INFINITY, until };
  };

  const canSplit = order.length > 0 && plan.conditions.length === 0 && request.limit === undefined;
  const isLarge = (): boolean =>
    seen.bytes >= pageBytes || (seen.given > 0 && ((relation.estimatedRows ?? 0) * seen.bytes) / seen.given >= 2 * pageBytes);
  for (let isMore = true; isMore; ) {
    // A large table is read by two connections that take turns. When the server gives us only one, that one goes on.
    const second = canSplit && isLarge() ? await links.take('read', request.signal).catch(() => undefined) : undefined;
    if (second) {
      yield* inTurns(links, { link, second, signal: request.signal }, startRange, drain, () => seen.last);
      break;
    }
    const rest = request.limit === undefined ? Number.POSITIVE_INFINITY : request.limit - seen.given;
    if (rest <= 0) return;
    isMore = yield* drain(startLimited(order.length > 0 ? Math.min(pageRows(seen, pageBytes), rest) : rest));
  }
  if (plan.end !== undefined && request.limit === undefined) yield Batch.ofLines(Buffer.alloc(0), { count: 0, position: plan.end });
}

async function* inTurns(
  links: Links,
  { link, second, signal }: { link: Link; second: Link; signal: AbortSignal | undefined },
  start: (on: Link, last: string[] | null) => Promise<OpenPage>,
  drain: (page: OpenPage) => AsyncGenerator<Batch, boolean>,
  last: () => string[] | null,
): AsyncGenerator<Batch> {
  const cut = (): void => second.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  let isWhole = false;
  try {
    await Promise.all([link.run(IN_ORDER), second.run(IN_ORDER)]);
    let page = await start(link, last());
    for (let free = second; ; ) {
      const following = page.until && start(free, page.until);
      // The caller that waits for it hears of it; until then no one handles it.
      following?.catch(() => {});
      yield* drain(page);
      if (!following) break;
      free = page.link;
      page = await following;
    }
    await Promise.all([link.run(AS_BEFORE), second.run(AS_BEFORE)]);
    isWhole = true;
  } finally {
    signal?.removeEventListener('abort', cut);
    if (isWhole) links.giveBack(second, 'read');
    else second.destroy();
  }
}

/** How many rows make about so many bytes, from what was seen. */
function pageRows({ given, bytes }: { given: number; bytes: number }, wanted: number): number {
  return Math.max(1, Math.min(LONGEST_PAGE, Math.floor(given === 0 ? wanted / GUESSED_ROW : (wanted * given) / bytes)));
}

export function expressionOf(relation: Relation, field: string): string {
  const column = columnOf(relation, field);
  return readExpression(quoteName(column.name), column.base);
}

async function boundary(
  link: Link,
  relation: Relation,
  order: readonly string[],
  last: string[] | null,
  rows: number,
): Promise<string[] | null> {
  const names = order.map(quoteName).join(', ');
  const list = order.map((name, i) => `(${expressionOf(relation, name)})::text as k${i}`).join(', ');
  const behind = last ? `where (${names}) > ${tuple(relation, order, last)}` : '';
  const [row] = await link.query(`select ${list} from ${quoteRelation(relation)} ${behind} order by ${names} offset ${rows - 1} limit 1`);
  return row ? order.map((_, i) => row[`k${i}`] as string) : null;
}

function pageStatement(
  relation: Relation,
  list: string,
  { conditions, order }: PostgresReadPlan,
  { last, until, skip, limit }: { last: string[] | null; until: string[] | null; skip: number; limit: number },
): string {
  const names = order.map(quoteName).join(', ');
  const where = [
    ...conditions,
    ...(last ? [`(${names}) > ${tuple(relation, order, last)}`] : []),
    ...(until ? [`(${names}) <= ${tuple(relation, order, until)}`] : []),
  ];
  return `copy (select ${list} from ${quoteRelation(relation)}${where.length > 0 ? ` where ${where.join(' and ')}` : ''}${
    names ? ` order by ${names}` : skip > 0 ? ` offset ${skip}` : ''
  }${Number.isFinite(limit) ? ` limit ${limit}` : ''}) to stdout`;
}

/** The types of the columns that are read. When they change between two pages, the pages do not belong together. */
async function shapeOf(link: Link, { oid, schema, name }: Relation, fields: readonly string[]): Promise<string> {
  const [row] = await link.query<{ shape: string | null }>(
    `select string_agg(a.attname || ' ' || a.atttypid || ' ' || a.atttypmod, ',' order by a.attnum) as shape
     from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.oid = $1 and n.nspname = $2 and c.relname = $3 and a.attnum > 0 and not a.attisdropped
       and a.attname = any(array(select json_array_elements_text($4::json)))`,
    [oid, schema, name, JSON.stringify(fields)],
  );
  return row?.shape ?? '';
}

function changed(stream: string): OutsideError {
  return new OutsideError('config', 'STREAM_CHANGED', `"${stream}" was changed, replaced or dropped while it was being read.`, {
    field: 'stream',
    hint: 'Look at its fields again, and start the read anew.',
  });
}
