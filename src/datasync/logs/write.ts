import { bulk } from '../../db/bulk.ts';
import { command, type Connection, first } from '../../db/database.ts';
import { byEngine, forUpdate, raw, sql } from '../../db/sql.ts';
import type { NewLog } from './entry.ts';
import { indexedWords } from './words.ts';

/** So many numbers are counted together: `log_counts` has a row for each block, subject and level. */
export const BLOCK = 16_384;
/** The time of every so many entries is marked. */
export const MARK_EVERY = 1024;

interface Head {
  seq: number;
  time: string;
  now: string | null;
}

const COLUMNS = {
  seq: 'bigint',
  time: 'text',
  level: 'text',
  sync_id: 'text',
  run_id: 'text',
  source_id: 'text',
  stream: 'text',
  message: 'text',
  data: 'json',
  shop: 'text',
  words: 'text',
} as const;

// The clocks of nodes differ. One that is ahead must not drag the times of all others with it, so the database's clock is the limit.
const DATABASE_CLOCK = byEngine((engine) =>
  raw(engine === 'postgres' ? `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : 'cast(null as text)'),
);

/**
 * Writes entries down, in their order, behind all others. The head stays locked until the commit: the numbers are the order of
 * commits, without gaps, on any number of nodes.
 */
export const writeLogs = command(import.meta.url, 'writeLogs', async (tx, entries: NewLog[]): Promise<void> => {
  const head = (await first<Head>(tx, sql`select seq, time, ${DATABASE_CLOCK} as now from log_head ${forUpdate}`)) as Head;
  const rows: (string | number | null)[][] = [];
  const counts = new Map<string, number>();
  const marks: [time: string, seq: number][] = [];
  let { seq, time } = head;
  for (const entry of entries) {
    seq++;
    const told = head.now !== null && entry.time > head.now ? head.now : entry.time;
    if (told > time) time = told;
    const { level, sync_id, run_id, source_id, stream, message, data, shop } = entry;
    rows.push([seq, time, level, sync_id, run_id, source_id, stream, message, data, shop, indexedWords(entry)]);
    if (seq % MARK_EVERY === 0) marks.push([time, seq]);
    for (const subject of subjectsOf(entry)) {
      const name = `${subject}\n${level}\n${Math.floor(seq / BLOCK)}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  await Promise.all([
    ...insertRows(tx, rows),
    countRows(tx, counts),
    ...(marks.length > 0
      ? [tx.all(sql`insert into log_marks (time, seq) select time, seq from ${bulk({ time: 'text', seq: 'bigint' }, marks)} as input`)]
      : []),
    tx.all(sql`update log_head set seq = ${seq}, time = ${time}`),
  ]);
});

/** What an entry is counted for; '' stands for everything. */
function subjectsOf({ sync_id, source_id }: NewLog): string[] {
  const subjects = [''];
  if (sync_id !== null) subjects.push(sync_id);
  if (source_id !== null) subjects.push(source_id);
  if (sync_id !== null && source_id !== null) subjects.push(subjectOf(sync_id, source_id));
  return subjects;
}

export function subjectOf(syncId: string | undefined, sourceId: string | undefined): string {
  return [syncId, sourceId].filter((id) => id !== undefined).join(' ');
}

function insertRows(tx: Connection, rows: (string | number | null)[][]): Promise<unknown>[] {
  const input = bulk(COLUMNS, rows);
  const columns = raw('seq, time, level, sync_id, run_id, source_id, stream, message, data, shop');
  if (tx.engine === 'postgres') {
    return [
      tx.all(
        sql`insert into logs (${columns}, words) select ${columns}, array_to_tsvector(string_to_array(words, ' ')) from ${input} as input`,
      ),
    ];
  }
  const words = bulk(
    { seq: 'bigint', words: 'text' },
    rows.map((row) => [row[0] as number, row.at(-1) as string]),
  );
  return [
    tx.all(sql`insert into logs (${columns}) select ${columns} from ${input} as input`),
    tx.all(sql`insert into log_words (rowid, words) select seq, words from ${words} as input`),
  ];
}

async function countRows(tx: Connection, counts: ReadonlyMap<string, number>): Promise<void> {
  const rows = [...counts].map(([name, n]) => {
    const [subject = '', level = '', block] = name.split('\n');
    return [subject, level, Number(block), n];
  });
  await tx.all(sql`
    insert into log_counts (subject, level, block, n)
    select subject, level, block, n
    from ${bulk({ subject: 'text', level: 'text', block: 'bigint', n: 'bigint' }, rows)} as input where true
    on conflict (subject, level, block) do update set n = log_counts.n + excluded.n`);
}
