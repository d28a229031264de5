import type { TypedColumn } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';
import { DELETED_AT } from '../../marks.ts';
import type { StatementResult } from '../wire/packets.ts';
import type { Wire } from '../wire/connection.ts';

/** Brings the rows of a stage into its table. Both have the same columns. */
export interface StageMerge {
  readonly wire: Wire;
  readonly table: string;
  readonly stage: string;
  readonly columns: readonly TypedColumn[];
  readonly key: readonly string[];
  /** Whether rows that are back lose their mark. */
  readonly marks: boolean;
  /** Which rows of the stage are meant; all when empty. */
  readonly where: string;
}

const on = ({ key }: StageMerge): string => key.map((name) => `t.${quote(name)} = s.${quote(name)}`).join(' and ');
const others = ({ columns, key }: StageMerge): TypedColumn[] => columns.filter((column) => !key.includes(column.name));

export interface Found {
  /** Rows of the stage that are in the table already. */
  matched: number;
  /** Those of them that differ. */
  changed: number;
}

/** Looks which rows of the stage are in the table already, and which of them differ. */
export async function compare(merge: StageMerge): Promise<Found> {
  const [[matched, changed] = []] = await merge.wire.rows(`select count(*), sum(${differs(merge)}) from ${joined(merge)}`);
  return { matched: Number(matched ?? 0), changed: Number(changed ?? 0) };
}

/** Updates the rows that differ; the others are not touched. Answers how many were. */
export async function updateFound(merge: StageMerge, { changed }: Found, ignore = ''): Promise<number> {
  if (changed === 0) return 0;
  const sets = others(merge).map((column) => `t.${quote(column.name)} = s.${quote(column.name)}`);
  if (merge.marks) sets.push(`t.${quote(DELETED_AT)} = null`);
  const join = `${quote(merge.stage)} s straight_join ${quote(merge.table)} t on ${on(merge)}`;
  const where = [merge.where, differs(merge)].filter((condition) => condition).join(' and ');
  const { affected } = await merge.wire.run(`update ${ignore}${join} set ${sets.join(', ')} where ${where}`);
  return affected;
}

/** The rows that are not there yet. */
export function insertMissing(merge: StageMerge, ignore = ''): Promise<StatementResult> {
  const names = merge.columns.map((column) => quote(column.name));
  return merge.wire.run(
    `insert ${ignore}into ${quote(merge.table)} (${names.join(', ')}) select ${names.map((name) => `s.${name}`).join(', ')} from ${missing(merge)}`,
  );
}

export function missing(merge: StageMerge): string {
  const [first = ''] = merge.key;
  return `${quote(merge.stage)} s left join ${quote(merge.table)} t on ${on(merge)} where t.${quote(first)} is null${merge.where && ` and ${merge.where}`}`;
}

/** Removes, or marks, the rows of the table that the stage has (or has not). */
export async function removeRows(merge: StageMerge, which: 'in stage' | 'not in stage', how: 'delete' | 'mark'): Promise<number> {
  const [first = ''] = merge.key;
  const tables =
    which === 'in stage'
      ? `${quote(merge.stage)} s straight_join ${quote(merge.table)} t on ${on(merge)}`
      : `${quote(merge.table)} t left join ${quote(merge.stage)} s on ${on(merge)}`;
  const conditions = [
    ...(which === 'in stage' ? [] : [`s.${quote(first)} is null`]),
    ...(how === 'mark' ? [`t.${quote(DELETED_AT)} is null`] : []),
  ];
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const { affected } = await merge.wire.run(
    how === 'mark' ? `update ${tables} set t.${quote(DELETED_AT)} = utc_timestamp(6)${where}` : `delete t from ${tables}${where}`,
  );
  return affected;
}

/** Whether a row of the table differs from that of the stage. Texts are compared by their bytes. */
export function differs(merge: StageMerge): string {
  const same = others(merge).map(({ name, dataType, characterSet }) => {
    const sides = ['t', 's'].map((side) =>
      characterSet !== null && dataType !== 'json' ? `cast(${side}.${quote(name)} as binary)` : `${side}.${quote(name)}`,
    );
    return sides.join(' <=> ');
  });
  if (merge.marks) same.push(`t.${quote(DELETED_AT)} is null`);
  return same.length === 0 ? 'false' : `not (${same.join(' and ')})`;
}

export function joined(merge: StageMerge): string {
  return `${quote(merge.stage)} s straight_join ${quote(merge.table)} t on ${on(merge)}${merge.where && ` where ${merge.where}`}`;
}
