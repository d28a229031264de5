import { Batch } from '../../batch.ts';
import { BATCH_BYTES, type Context, type ReadRequest } from '../../contract.ts';
import { aborted } from '../../../outside/errors.ts';
import { connect } from '../wire/connect.ts';
import { demandTable } from '../catalogue/discover.ts';
import { behind, orderBy, rawLiteral } from './keyset.ts';
import { LineMaker, type Made } from './line-maker.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import { doubtOf, type MysqlReadPlan, planOf, restart, restartOnce } from './plan.ts';
import { type Doubt, fromPosition, type MysqlPosition, toPosition } from './positions.ts';
import type { Wire } from '../wire/connection.ts';

/** A page is a short statement of about this size, so that no transaction stays open on the source for long. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Where every page costs a scan of the table, pages are large. */
const SCANNED_PAGE_BYTES = 128 * 1024 * 1024;
const FIRST_PAGE_ROWS = 500;
/** Batches that may wait to be taken. */
const AHEAD = 2;
const ALL_ROWS = '9223372036854775807';

export async function* read(config: MysqlConfig, context: Context, request: ReadRequest): AsyncGenerator<Batch> {
  const wire = await connect(config, context, { mode: 'read', signal: request.signal });
  try {
    const plan = planOf(await demandTable(wire, config, request.stream), request);
    const place =
      request.after === undefined ? undefined : fromPosition(request.after, { places: placesOf(plan), keyLength: plan.key.length });
    if (request.limit === 0) return;
    const shelf = new BatchQueue(wire, AbortSignal.any([context.signal, ...(request.signal ? [request.signal] : [])]));
    const work = produce(wire, config, plan, place, request, shelf).then(
      () => shelf.close(),
      (error: unknown) => shelf.close(error),
    );
    yield* shelf.batches();
    await work;
  } finally {
    wire.end();
  }
}

function placesOf({ cursor, paged }: MysqlReadPlan): MysqlPosition['at'][] {
  if (cursor) return ['cursor', 'end'];
  return paged.length > 0 ? ['key'] : ['count'];
}

/** Reads page after page and puts the batches on the shelf. */
async function produce(
  wire: Wire,
  config: MysqlConfig,
  plan: MysqlReadPlan,
  start: MysqlPosition | undefined,
  request: ReadRequest,
  shelf: BatchQueue,
): Promise<void> {
  const doubt = plan.cursor && !request.once ? doubtOf(start, await freshDoubt(wire, plan.cursor)) : {};
  let place = start;
  let rows = start && 'rows' in start ? (start.rows ?? 0) : 0;
  const emit = (made: Made): void => {
    rows += made.count + made.rejects.length;
    place = placeBehind(plan, made, place, rows, doubt);
    if (place.at === 'cursor' && place.rows !== undefined) rows = place.rows;
    const { lines, rejects, count, recycle } = made;
    shelf.put(Batch.ofLines(lines, { position: toPosition(place), rejects, count, recycle }));
  };
  const maker = new LineMaker(plan.columns, {
    batchBytes: request.batchBytes ?? BATCH_BYTES,
    batchRows: request.batchRows,
    zeroDates: config.zero_dates ?? 'null',
    emit,
  });
  const restarted: Restarted = (cursor, end) => (request.once ? restartOnce(cursor, end) : restart(cursor, end, config));
  const limit = request.limit ?? Number.MAX_SAFE_INTEGER;
  const pageBytes = plan.indexed ? Math.max(PAGE_BYTES, (request.batchBytes ?? 0) * 2) : SCANNED_PAGE_BYTES;
  if (plan.paged.length === 0) {
    maker.most = limit;
    await wire.stream(streamStatement(restarted, plan, start, limit), maker);
  } else {
    for (let size = FIRST_PAGE_ROWS; ; ) {
      const before = maker.rows;
      const wanted = Math.min(size, limit - before);
      maker.most = before + wanted;
      const from = maker.last ? placeOf(plan, maker.last) : start;
      await wire.stream(pageStatement(restarted, plan, from, wanted), maker);
      if (maker.rows - before < wanted || maker.rows >= limit) break;
      await shelf.room();
      size = Math.max(100, Math.min(1_000_000, Math.round(pageBytes / (maker.bytes / maker.rows))));
    }
  }
  maker.flush();
  if (plan.cursor && maker.rows < limit) {
    const cursor = place && 'cursor' in place ? place.cursor : null;
    // Behind the last row, rather than behind its cursor, others with the same cursor may follow.
    const isBehindRow = request.once && plan.paged.length > 0;
    const end: MysqlPosition = isBehindRow && place?.at === 'cursor' ? place : { at: 'end', cursor, ...doubt };
    shelf.put(Batch.ofRows([], { position: toPosition(end) }));
  }
}

function select(plan: MysqlReadPlan, conditions: readonly (string | undefined)[], hint = ''): string {
  const where = [plan.filter, ...conditions].filter((condition) => condition);
  return `select ${plan.columns.map((column) => column.expression).join(', ')} from ${quote(plan.table.name)}${hint}${where.length > 0 ? ` where ${where.join(' and ')}` : ''}`;
}

/** The lower bound of a read that follows a complete one. */
type Restarted = (cursor: TypedColumn, end: MysqlPosition & { at: 'end' }) => string | undefined;

function pageStatement(restarted: Restarted, plan: MysqlReadPlan, place: MysqlPosition | undefined, rows: number): string {
  return `${select(plan, [lowerBound(restarted, plan, place)])}${orderBy(plan.paged)} limit ${rows}`;
}

function lowerBound(restarted: Restarted, plan: MysqlReadPlan, place: MysqlPosition | undefined): string | undefined {
  if (!place || place.at === 'count') return undefined;
  if (place.at === 'end') return restarted(plan.cursor as TypedColumn, place);
  const values = new Map(plan.key.map((column, i) => [column, place.key[i] ?? null]));
  if (place.at === 'cursor') values.set(plan.cursor as TypedColumn, place.cursor);
  return behind(
    plan.paged,
    plan.paged.map((column) => values.get(column) ?? null),
  );
}

/** Everything in one statement. A table is read in the order in which it is stored, so that counting finds the place again. */
function streamStatement(restarted: Restarted, plan: MysqlReadPlan, place: MysqlPosition | undefined, limit: number): string {
  const { cursor } = plan;
  let bound: string | undefined;
  if (cursor && place?.at === 'end') bound = restarted(cursor, place);
  if (cursor && place?.at === 'cursor' && place.cursor !== null) bound = `${cursor.order} >= ${rawLiteral(cursor, place.cursor)}`;
  const order = cursor ? [...new Set([cursor, ...plan.key, ...plan.columns])] : plan.table.kind === 'view' ? plan.key : [];
  const offset = place && 'rows' in place ? (place.rows ?? 0) : 0;
  const hint = plan.table.kind === 'table' && !cursor ? ' use index ()' : '';
  return `${select(plan, [bound], hint)}${orderBy(order)} limit ${limit === Number.MAX_SAFE_INTEGER ? ALL_ROWS : limit} offset ${offset}`;
}

function placeBehind(plan: MysqlReadPlan, made: Made, before: MysqlPosition | undefined, rows: number, doubt: Doubt): MysqlPosition {
  if (plan.paged.length === 0 && !plan.cursor) return { at: 'count', rows };
  const place = { ...placeOf(plan, made.last), ...doubt };
  return place.at === 'cursor' && plan.paged.length === 0 ? { ...place, rows: rowsOfCursor(plan, made, before, rows) } : place;
}

/** The place behind this row. */
function placeOf(plan: MysqlReadPlan, row: readonly (string | null)[]): MysqlPosition {
  const valueOf = (column: TypedColumn): string | null => row[plan.columns.indexOf(column)] ?? null;
  const key = plan.key.map(valueOf);
  return plan.cursor ? { at: 'cursor', cursor: valueOf(plan.cursor), key } : { at: 'key', key };
}

/** How many rows of the last cursor were read; counted from the end of the batch. */
function rowsOfCursor(plan: MysqlReadPlan, made: Made, before: MysqlPosition | undefined, rows: number): number {
  const cursor = plan.cursor as TypedColumn;
  const index = plan.columns.indexOf(cursor);
  const raw = made.last[index] ?? null;
  const last = raw === null ? null : cursor.reading === 'binary' ? `\\x${raw}` : cursor.reading === 'timestamptz' ? `${raw}+00` : raw;
  const batch = Batch.ofLines(made.lines, { position: '' }).rows;
  let equal = made.rejects.filter((reject) => reject.row[cursor.name] === raw).length;
  for (let i = batch.length - 1; i >= 0 && batch[i]?.[index] === last; i--) equal++;
  const goesOn = equal === made.count + made.rejects.length && before?.at === 'cursor' && before.cursor === raw;
  return goesOn ? rows : equal;
}

/** What others may still commit behind our back, as far as the server lets us see it. */
async function freshDoubt(wire: Wire, cursor: TypedColumn): Promise<Doubt> {
  const { type } = cursor.field;
  if (type !== 'timestamptz' && type !== 'timestamp') return {};
  const [[since = ''] = []] = await wire.rows('select utc_timestamp(6)');
  const age = await oldestTransaction(wire);
  // The clock of a datetime is the application's own: only a timestamp can be compared with the server's.
  return { ...(type === 'timestamptz' && since !== null && { since }), ...(age > 0 && { age }) };
}

async function oldestTransaction(wire: Wire): Promise<number> {
  try {
    await wire.run("set time_zone = 'SYSTEM'");
    const [[age] = []] = await wire.rows(
      'select ceil(greatest(0, timestampdiff(second, min(trx_started), now()))) from information_schema.innodb_trx where trx_rows_modified > 0 and trx_mysql_thread_id <> connection_id()',
    );
    // What is shown may be a moment old.
    return Number(age ?? 0) + 1;
  } catch {
    // Without the privilege PROCESS, the overlap alone has to do.
    return 0;
  } finally {
    await wire.run("set time_zone = '+00:00'");
  }
}

/** Batches between the network and the caller that takes them. The network waits when too many are there. */
class BatchQueue {
  readonly #wire: Wire;
  readonly #signal: AbortSignal;
  readonly #batches: Batch[] = [];
  #isClosed = false;
  #error: unknown;
  #wakeTaker: (() => void) | undefined;
  #wakeMaker: (() => void) | undefined;

  constructor(wire: Wire, signal: AbortSignal) {
    this.#wire = wire;
    this.#signal = signal;
    // The caller that stopped us does not want what is left.
    wire.onClose(() => this.#wakeTaker?.());
  }

  put(batch: Batch): void {
    this.#batches.push(batch);
    if (this.#batches.length >= AHEAD) this.#wire.pause();
    this.#wakeTaker?.();
  }

  close(error?: unknown): void {
    this.#isClosed = true;
    this.#error = error;
    this.#wakeTaker?.();
  }

  /** Resolves when there is room for another page. */
  async room(): Promise<void> {
    while (this.#batches.length >= AHEAD) await new Promise<void>((resolve) => (this.#wakeMaker = resolve));
  }

  async *batches(): AsyncGenerator<Batch> {
    for (;;) {
      if (this.#signal.aborted) throw aborted();
      const batch = this.#batches.shift();
      if (this.#batches.length < AHEAD) {
        this.#wire.resume();
        this.#wakeMaker?.();
      }
      if (batch) yield batch;
      else if (this.#isClosed) {
        if (this.#error !== undefined) throw this.#error;
        return;
      } else await new Promise<void>((resolve) => (this.#wakeTaker = resolve));
    }
  }
}
