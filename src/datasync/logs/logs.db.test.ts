import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import { LEVELS, type LogLevel, levelsFrom, type NewLog } from './entry.ts';
import { forgetLogs } from './forget.ts';
import { listLogs, listNewLogs, type LogFilter, type LogRow } from './queries.ts';
import { hasWords } from './words.ts';
import { BLOCK, MARK_EVERY, writeLogs } from './write.ts';

const START = Date.parse('2026-10-01T00:00:00.000Z');
// More than three blocks, so that totals and offsets go over whole ones.
const ENTRIES = 3 * BLOCK + 777;

let state = 7;
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

function oneOf<Value>(values: readonly Value[]): Value {
  return values[random(values.length)] as Value;
}

/** Some levels and subjects are frequent, some are rare; many entries have the same time. */
function someLogs(count: number): NewLog[] {
  let time = START;
  return Array.from({ length: count }, (_, index) => {
    if (random(3) === 0) time += random(4000);
    const level: LogLevel = random(500) === 0 ? 'error' : random(40) === 0 ? 'warn' : oneOf(['debug', 'info', 'info']);
    const sync = random(300) === 0 ? 'syn_rare' : oneOf(['syn_a', 'syn_b', null]);
    return {
      time: isoTime(time),
      level,
      sync_id: sync,
      run_id: sync === null ? null : `run_${Math.floor(index / 400)}`,
      source_id: oneOf(['src_x', 'src_y', null, null]),
      stream: oneOf(['public.orders', null]),
      message: `${oneOf(['Run started', 'Run finished', 'Wrote rows', 'Verbindung zu Ärger'])} number ${index % 97}${random(4000) === 0 ? ' unicorn' : ''}`,
      data: random(5) === 0 ? JSON.stringify({ index }) : null,
      shop: random(4) === 0 ? oneOf(['orders', 'products', 'orders products']) : null,
    };
  });
}

function matches(log: NewLog, { sync_id, run_id, source_id, level, words, from, to, hidden = [] }: LogFilter): boolean {
  return (
    (sync_id === undefined || log.sync_id === sync_id) &&
    (run_id === undefined || log.run_id === run_id) &&
    (source_id === undefined || log.source_id === source_id) &&
    (level === undefined || levelsFrom(level).includes(log.level)) &&
    (from === undefined || log.time >= from) &&
    (to === undefined || log.time < to) &&
    (words === undefined || (hasWords(log.message, words) && !hidden.some((rows) => log.shop?.includes(rows))))
  );
}

function someFilter(logs: readonly NewLog[]): LogFilter {
  const times = [oneOf(logs).time, oneOf(logs).time].sort();
  const nudge = (time: string): string => isoTime(Date.parse(time) + random(3) - 1);
  return {
    sync_id: oneOf([undefined, undefined, 'syn_a', 'syn_rare', 'syn_none']),
    source_id: oneOf([undefined, undefined, undefined, 'src_x']),
    run_id: oneOf([undefined, undefined, undefined, 'run_3', 'run_100']),
    level: oneOf([undefined, ...LEVELS]),
    words: oneOf([undefined, undefined, undefined, ['run'], ['unic'], ['start', '3'], ['ärger'], ['nothing']]),
    from: oneOf([undefined, undefined, nudge(times[0] as string)]),
    to: oneOf([undefined, undefined, nudge(times[1] as string)]),
    hidden: oneOf([undefined, [], ['orders'], ['products'], ['orders', 'products']]),
  };
}

function plain({ seq, ...row }: LogRow): NewLog {
  assert.ok(seq > 0);
  return row;
}

onBothEngines('stored logs', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  let kept: NewLog[] = [];
  before(async () => {
    db = await openTestDatabase(engine);
    kept = someLogs(ENTRIES);
    for (let i = 0; i < kept.length; i += 2000) await db.write(writeLogs, kept.slice(i, i + 2000));
  });
  after(() => db.close());

  const compare = async (filter: LogFilter): Promise<void> => {
    const expected = kept.filter((log) => matches(log, filter)).toReversed();
    const told = JSON.stringify(filter);
    for (const offset of [0, 3, random(expected.length + 2), Math.max(0, expected.length - 2)]) {
      const limit = oneOf([1, 5, 50]);
      const { rows, total, more } = await db.query(listLogs, { filter, limit, offset });
      assert.equal(total, expected.length, told);
      assert.deepEqual(rows.map(plain), expected.slice(offset, offset + limit), `${told} offset ${offset}`);
      assert.equal(more, offset + limit < expected.length, told);
      if (!more) continue;
      const next = await db.query(listLogs, { filter, limit, offset: 0, after: rows.at(-1)?.seq });
      assert.deepEqual(next.rows.map(plain), expected.slice(offset + limit, offset + 2 * limit), `${told} after ${offset}`);
      assert.equal(next.total, expected.length, told);
    }
  };

  test('every filter finds what a plain search finds, with the exact total, at any offset and cursor', async () => {
    await compare({});
    for (let i = 0; i < 60; i++) await compare(someFilter(kept));
  });

  test('what is new comes once, in order, whatever the filter', async () => {
    for (const filter of [
      {},
      { sync_id: 'syn_a', level: 'info' as const },
      { words: ['run'] },
      { words: ['unic'], sync_id: 'syn_b' },
      { words: ['run'], hidden: ['orders'] },
    ]) {
      const start = ENTRIES - 3000;
      const seen: NewLog[] = [];
      for (let place = start; place < ENTRIES; ) {
        const { rows, newest } = await db.query(listNewLogs, { filter, after: place, most: 700 });
        seen.push(...rows.map(plain));
        place = newest;
      }
      assert.deepEqual(
        seen,
        kept.slice(start).filter((log) => matches(log, filter)),
      );
    }
  });

  test('times never go back, and numbers have no gaps, also when the clocks of writers differ', async () => {
    const [last] = (await db.query(listLogs, { filter: {}, limit: 1, offset: 0 })).rows;
    const late = { ...(kept[0] as NewLog), message: 'late' };
    await db.write(writeLogs, [late, { ...late, time: isoTime(Date.parse(last?.time ?? '') + 5) }, late]);
    const { rows } = await db.query(listLogs, { filter: {}, limit: 3, offset: 0 });
    const moved = isoTime(Date.parse(last?.time ?? '') + 5);
    assert.deepEqual(
      rows.map(({ seq, time }) => [seq, time]),
      [
        [ENTRIES + 3, moved],
        [ENTRIES + 2, moved],
        [ENTRIES + 1, last?.time],
      ],
    );
    kept.push({ ...late, time: last?.time ?? '' }, { ...late, time: moved }, { ...late, time: moved });
  });

  test('writers side by side do not get in each other’s way', async () => {
    const writers = Array.from({ length: 8 }, (_, writer) =>
      Array.from({ length: 20 }, () => ({ ...(kept.at(-1) as NewLog), message: `writer ${writer}`, sync_id: `syn_w${writer}` })),
    );
    await Promise.all(writers.flatMap((logs) => [db.write(writeLogs, logs.slice(0, 10)), db.write(writeLogs, logs.slice(10))]));
    for (const [writer, logs] of writers.entries()) {
      assert.equal((await db.query(listLogs, { filter: { sync_id: `syn_w${writer}` }, limit: 1, offset: 0 })).total, logs.length);
    }
    const { rows } = await db.query(listLogs, { filter: {}, limit: 160, offset: 0 });
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      Array.from({ length: 160 }, (_, index) => kept.length + 160 - index),
    );
    kept.push(...rows.toReversed().map(plain));
  });

  test('old entries are forgotten in bites; totals, pages and searches follow', async () => {
    for (const share of [0.01, 0.5, 0.8]) {
      const before_ = (kept[Math.floor(kept.length * share)] as NewLog).time;
      const old = kept.filter(({ time }) => time < before_).length;
      const most = 5000;
      let forgotten = 0;
      for (let bite = most; bite === most; forgotten += bite) bite = await db.write(forgetLogs, { before: before_, most });
      assert.equal(forgotten, old);
      kept = kept.slice(old);
      for (let i = 0; i < 15; i++) await compare(someFilter(kept));
    }
    const [marks] = await db.read.all<{ n: number }>(sql`select count(*) as n from log_marks`);
    assert.ok((marks?.n ?? 0) <= (2 * BLOCK + kept.length) / MARK_EVERY);
    const last = (kept.at(-1) as NewLog).time;
    assert.equal(await db.write(forgetLogs, { before: '9999', most: 1e9 }), kept.length);
    kept = [];
    await compare({});
    await compare({ level: 'warn' });
    // What comes afterwards is found again.
    kept = someLogs(10).map((log) => ({ ...log, time: last }));
    await db.write(writeLogs, kept);
    await compare({ sync_id: 'syn_a' });
    await compare({ level: 'info', from: last });
  });
});
