import type { KitEnd } from './kit-end.ts';
import { KIT_COLUMNS, KIT_TABLES, type KitMode } from './kit-tables.ts';

/** What a plain look at both tables has found. */
export interface PlainComparison {
  readonly rows: number;
  readonly missing: number;
  readonly different: number;
  /** Rows that only the target has, and that it may not have. */
  readonly extra: number;
  /** Rows that only the target has, as nothing takes rows away in this mode. */
  readonly kept: number;
  /** Rows whose key is there twice. */
  readonly double: number;
}

/**
 * Reads both tables through drivers and compares them in memory. It shares nothing with connectors and `verify`, on purpose: it is
 * what they are held against.
 */
export async function comparePlainly(mode: KitMode, ends: { source: KitEnd; target: KitEnd }, lastId: number): Promise<PlainComparison> {
  const [source, target] = [await readTable(ends.source, KIT_TABLES[mode]), await readTable(ends.target, KIT_TABLES[mode])];
  const gone = [...target.byId.keys()].filter((id) => !source.byId.has(id));
  // Only rows that were at the source once can be left from there.
  const kept = mode === 'incremental' ? gone.filter((id) => Number(id) >= 1 && Number(id) <= lastId).length : 0;
  let [missing, different] = [0, 0];
  for (const [id, row] of source.byId) {
    const other = target.byId.get(id);
    if (other === undefined) missing++;
    else if (other !== row) different++;
  }
  return { rows: source.byId.size, missing, different, extra: gone.length - kept, kept, double: source.double + target.double };
}

export function isEqual({ missing, different, extra, double }: PlainComparison): boolean {
  return missing + different + extra + double === 0;
}

async function readTable(end: KitEnd, table: string): Promise<{ byId: Map<string, string>; double: number }> {
  const client = await end.connect();
  try {
    const rows = await client.rows(`select ${KIT_COLUMNS.join(', ')} from ${table}`);
    const byId = new Map(rows.map((row) => [row[0] ?? '', JSON.stringify(row.map(inOneSpelling))]));
    return { byId, double: rows.length - byId.size };
  } finally {
    await client.close();
  }
}

/** Systems spell times and decimals in their own way: with a T or without, with zeros at the end or without. */
function inOneSpelling(value: string | null, column: number): string | null {
  const name = KIT_COLUMNS[column];
  if (value === null || (name !== 'at' && name !== 'amount')) return value;
  const spaced = name === 'at' ? value.replace('T', ' ') : value;
  return spaced.includes('.') ? spaced.replace(/0+$/, '').replace(/\.$/, '') : spaced;
}
