import type { Row, Value } from '../../../src/connectors/canonical.ts';
import { type Random, pick } from '../../crash/random.ts';
import { ALL_COLUMNS, COLUMNS, KEY_COLUMNS, stepsFor, type SystemName } from './columns.ts';

/** What tells the rows of a table apart. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  'a number': ['n'],
  'a text': ['code'],
  'several columns': ['day', 'code', 'n'],
  nothing: [],
};

/** One change of one row by one smallest step, at one of the ends. */
export interface Plant {
  readonly side: 'source' | 'target';
  readonly kind: 'set' | 'remove' | 'add';
  /** The row as it is before; of one that is added, the row. */
  readonly row: Row;
  readonly column: number;
  readonly value: Value;
}

const LETTERS = ['a', 'B', '_', 'é', 'Z', '-', 'ß', 'c'];
const place = (name: string): number => ALL_COLUMNS.findIndex((column) => column.name === name);
const [N, CODE] = [place('n'), place('code')];

export function rowsOf(random: Random, count: number, systems: readonly SystemName[], isDoubled: boolean): Row[] {
  const values = COLUMNS.map((column) => stepsFor(column, systems).flat());
  const rows = Array.from({ length: count }, (_, at): Row => {
    // The first ones are below zero, and the last ones beyond what a double tells apart.
    const n = at > count - 4 ? 9_223_372_036_854_775_800n - BigInt(count - at) : BigInt(at - 3);
    const code = `${LETTERS[at % LETTERS.length]}${String(at).padStart(6, '0')}`;
    const day = `2026-01-${String(1 + (at % 7)).padStart(2, '0')}`;
    return [String(n), code, day, ...values.map((some) => pick(random, some))];
  });
  return isDoubled ? rows.flatMap((row, at) => (at % 10 === 0 ? [row, row] : [row])) : rows;
}

/** The rows at which something is easily missed: the first and last ones, and those where a range may end. */
function places(random: Random, rows: number): number {
  const border = pick(
    random,
    [64, 100, 128, 256, 500, 512, 1_000, 1_024, 2_048].filter((one) => one < rows),
  );
  return pick(random, [0, 1, rows - 1, rows - 2, border - 1, border, border + 1, Math.floor(random() * rows), Math.floor(random() * rows)]);
}

/** Some changes, each of another row. */
export function plantsOf(
  random: Random,
  count: number,
  rows: readonly Row[],
  systems: readonly SystemName[],
  key: readonly string[],
): Plant[] {
  const used = new Set<Value | undefined>();
  const plants: Plant[] = [];
  while (plants.length < count) {
    const row = rows[places(random, rows.length)] as Row;
    if (used.has(row[N])) continue;
    const plant = plantAt(random, row, systems, key);
    // One of those that an earlier repair has made part of both tables.
    if (plant?.kind === 'add' && key.length > 0 && rows.some((one) => one[N] === plant.row[N])) continue;
    // Which of two rows that are alike was changed could not be told any more.
    if (!plant || (plant.kind === 'set' && rows.filter((one) => one[N] === row[N]).length > 1)) continue;
    used.add(row[N]);
    plants.push(plant);
  }
  return plants;
}

function plantAt(random: Random, row: Row, systems: readonly SystemName[], key: readonly string[]): Plant | undefined {
  const side = pick(random, ['source', 'target'] as const);
  const kind = random();
  if (kind < 0.06) return { side, kind: 'remove', row, column: 0, value: null };
  if (kind < 0.12) return { side, kind: 'add', row: key.length > 0 ? anotherOf(row) : row, column: 0, value: null };
  if (kind < 0.18 && key.includes('code')) {
    const code = row[CODE] ?? '';
    const value = pick(random, [`${code} `, code.toUpperCase(), code.toLowerCase(), code.normalize('NFD')]);
    return value === code ? undefined : { side, kind: 'set', row, column: CODE, value };
  }
  const column = Math.floor(random() * COLUMNS.length);
  const at = KEY_COLUMNS.length + column;
  const steps = stepsFor(COLUMNS[column] as (typeof COLUMNS)[number], systems).filter((list) => list.includes(row[at] ?? null));
  const value = pick(
    random,
    pick(random, steps).filter((one) => one !== row[at]),
  );
  return { side, kind: 'set', row, column: at, value };
}

/** So far from the row that it is made of is the number of one that is added: towards zero where there is no room beyond. */
const FAR = 1_000_000_000n;

/** A row with a key of its own, beside the one it is made of. */
function anotherOf(row: Row): Row {
  const n = BigInt(row[N] ?? 0);
  const another = n > 2n ** 62n ? n - FAR : n + FAR;
  return row.map((value, at) => (at === N ? String(another) : at === CODE ? `${value}+` : value));
}

export function planted(rows: readonly Row[], plants: readonly Plant[], side: Plant['side']): Row[] {
  const all = [...rows];
  for (const plant of plants) {
    if (plant.side !== side) continue;
    const at = all.findIndex((row) => row.every((value, column) => value === plant.row[column]));
    if (plant.kind === 'add') all.push(plant.row);
    else if (plant.kind === 'remove') all.splice(at, 1);
    else all[at] = changedRow(plant);
  }
  return all;
}

export function changedRow({ row, column, value }: Plant): Row {
  return row.map((one, at) => (at === column ? value : one));
}
