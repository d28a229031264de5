import type { LeftRow, RestoredRow, UndoneStream } from '../../undo.ts';
import type { UndoAct, UndoTable } from './statements.ts';

/** A row of `listRows`. */
export type ListedRow = Readonly<Record<string, string | null>>;

type ShownRow = RestoredRow['key'];

const LONGEST_VALUE = 1000;

function rowOf(names: readonly string[], side: 't' | 'j', row: ListedRow): ShownRow {
  return Object.fromEntries(names.map((name, at) => [name, cut(row[`${side}_${at}`] ?? null)]));
}

/** It is to be looked at: a value may have megabytes. */
function cut(value: string | null): string | null {
  return value !== null && value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE).toWellFormed()}…` : value;
}

export function leftRow({ key }: Pick<UndoTable, 'key'>, row: ListedRow): LeftRow {
  return { key: rowOf(key, 'j', row), reason: row['why'] as LeftRow['reason'] };
}

const CHANGES: Readonly<Record<Exclude<UndoAct, 'same' | 'left'>, RestoredRow['change']>> = {
  bring: 'insert',
  change: 'update',
  remove: 'delete',
};

export function restoredRow({ columns, key }: UndoTable, act: keyof typeof CHANGES, row: ListedRow): RestoredRow {
  const image = rowOf(columns, 'j', row);
  return {
    change: CHANGES[act],
    key: Object.fromEntries(key.map((name) => [name, image[name] ?? null])),
    before: act === 'bring' ? null : rowOf(columns, 't', row),
    after: act === 'remove' ? null : image,
  };
}

/** What was done, by how many keys each verdict has. */
export function countsOf(acts: ReadonlyMap<string, number>): Pick<UndoneStream, 'restored' | 'removed' | 'left'> {
  const of = (act: UndoAct): number => acts.get(act) ?? 0;
  return { restored: of('change') + of('bring'), removed: of('remove'), left: of('left') };
}
