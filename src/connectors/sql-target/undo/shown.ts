import type { LeftRow, RestoredRow, UndoneStream } from '../../undo.ts';
import type { UndoAct, UndoTable } from './statements.ts';

/** A row of an answer. */
export type ListedRow = readonly (string | number | null)[];

type ShownRow = RestoredRow['key'];

const LONGEST_VALUE = 1000;

/** The values of the table come first, then those of the journal; before both it says why. */
function rowOf(names: readonly string[], side: 'table' | 'journal', row: ListedRow): ShownRow {
  const first = side === 'table' ? 1 : 1 + names.length;
  return Object.fromEntries(names.map((name, at) => [name, cut(row[first + at] ?? null)]));
}

/** It is to be looked at: a value may have megabytes. */
function cut(value: string | number | null): string | null {
  if (value === null) return null;
  const text = String(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}

export function leftRow({ key }: Pick<UndoTable, 'key'>, row: ListedRow): LeftRow {
  return { key: rowOf(key, 'journal', row), reason: row[0] as LeftRow['reason'] };
}

const CHANGES: Readonly<Record<Exclude<UndoAct, 'same' | 'left'>, RestoredRow['change']>> = {
  bring: 'insert',
  change: 'update',
  remove: 'delete',
};

export function restoredRow({ columns, key }: UndoTable, act: keyof typeof CHANGES, row: ListedRow): RestoredRow {
  const image = rowOf(columns, 'journal', row);
  return {
    change: CHANGES[act],
    key: Object.fromEntries(key.map((name) => [name, image[name] ?? null])),
    before: act === 'bring' ? null : rowOf(columns, 'table', row),
    after: act === 'remove' ? null : image,
  };
}

/** What was done, by how many keys each verdict has. */
export function countsOf(acts: ReadonlyMap<string, number>): Pick<UndoneStream, 'restored' | 'removed' | 'left'> {
  const of = (act: UndoAct): number => acts.get(act) ?? 0;
  return { restored: of('change') + of('bring'), removed: of('remove'), left: of('left') };
}
