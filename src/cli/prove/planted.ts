import type { Random } from '../../sample/random.ts';
import type { KitEnd } from './kit-end.ts';
import { KIT_TABLES, type KitMode } from './kit-tables.ts';

/** Differences that the kit makes at the target, to see whether they are found. */
export interface Planted {
  readonly missing: number;
  readonly different: number;
  readonly extra: number;
}

/** An id that no row of a source ever gets. */
const EXTRA_ID = 900_000_000_000;

/** Takes a row away, changes one by a single letter, and adds one, at places of chance. */
export async function plantDifferences(mode: KitMode, target: KitEnd, source: KitEnd, random: Random): Promise<Planted> {
  const table = KIT_TABLES[mode];
  const ids = await idsOf(source, table);
  const gone = random.pick(ids);
  const other = random.pick(ids.filter((id) => id !== gone));
  const client = await target.connect();
  try {
    await client.run(`delete from ${table} where id = ${gone}`);
    // Where rows are only appended there is no key by which one could be called different.
    if (mode === 'append') return { missing: 1, different: 0, extra: 0 };
    await client.run(`update ${table} set note = 'x' where id = ${other}`);
    // Nothing takes rows away there, so one more is no difference.
    if (mode === 'incremental') return { missing: 1, different: 1, extra: 0 };
    await client.run(
      `insert into ${table} (id, version, at, amount, note) select ${EXTRA_ID}, version, at, amount, note from ${table} where id = ${other}`,
    );
    return { missing: 1, different: 1, extra: 1 };
  } finally {
    await client.close();
  }
}

async function idsOf(end: KitEnd, table: string): Promise<string[]> {
  const client = await end.connect();
  try {
    const rows = await client.rows(`select id from ${table} order by id`);
    if (rows.length < 2) throw new Error(`The table ${table} of the source has only ${rows.length} rows left: give more by --rows.`);
    return rows.map(([id]) => id ?? '');
  } finally {
    await client.close();
  }
}
