import type { Changes } from '../../contract.ts';
import { DELETED_AT } from '../../marks.ts';
import type { Group } from '../../sql-target/apply/rounds.ts';
import { NOTHING } from '../../sql-target/outcome.ts';
import { quote } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';
import { compare, insertMissing, joined, missing, type StageMerge, updateFound } from '../write/merge.ts';
import { isBefore, isMoved, isOf, type MysqlStream, PLACE_OF } from './stage.ts';

/** What came of a group: its counts, and the places of updates whose row is not there and not all told. */
export interface GroupMade {
  readonly changes: Changes;
  readonly missing: readonly number[];
}

/** Makes all changes of a group, whose rows have this number in the stage; or, with a place, the one there. */
export async function makeGroup(wire: Wire, stream: MysqlStream, group: Group, number: number, place?: number): Promise<GroupMade> {
  const size = place === undefined ? group.changes.length : 1;
  const where = isOf(number, place);
  if (group.kind === 'truncate') return { changes: { ...NOTHING, deleted: await remove(wire, stream) }, missing: [] };
  if (group.kind === 'delete') {
    const deleted = await remove(wire, stream, where);
    return { changes: { ...NOTHING, deleted, unchanged: size - deleted }, missing: [] };
  }
  const left = new Set(group.absent === '' ? [] : group.absent.split(' ').map(Number));
  const merge: StageMerge = {
    wire,
    table: stream.table.name,
    stage: stream.stage,
    columns: stream.columns.filter((_, at) => !left.has(at)),
    key: stream.keyColumns.map(({ name }) => name),
    marks: stream.request.deletes === 'mark',
    where,
  };
  const isComplete = group.kind === 'insert' || group.absent === '';
  if (group.kind === 'move') {
    if (await move(stream, merge, group.maybe)) return { changes: { ...NOTHING, updated: 1 }, missing: [] };
    if (!isComplete && !group.maybe && place !== undefined) return { changes: NOTHING, missing: [place] };
  }
  return put(merge, { size, isComplete, maybe: group.maybe });
}

/** Updates what is there and inserts what is not. */
async function put(
  merge: StageMerge,
  { size, isComplete, maybe }: { size: number; isComplete: boolean; maybe: boolean },
): Promise<GroupMade> {
  const { matched, updated } = maybe ? await updateDifferent(merge) : await updateAll(merge);
  if (!isComplete && matched < size) {
    const places = await merge.wire.rows(`select ${PLACE_OF} from ${missing(merge)}`);
    return { changes: NOTHING, missing: places.map(([at]) => Number(at)) };
  }
  const inserted = matched < size ? (await insertMissing(merge)).affected : 0;
  return { changes: { inserted, updated, unchanged: matched - updated, deleted: 0 }, missing: [] };
}

interface Updated {
  readonly matched: number;
  readonly updated: number;
}

async function updateDifferent(merge: StageMerge): Promise<Updated> {
  const found = await compare(merge);
  return { matched: found.matched, updated: await updateFound(merge, found) };
}

async function updateAll(merge: StageMerge): Promise<Updated> {
  const others = merge.columns.filter(({ name }) => !merge.key.includes(name)).map(({ name }) => name);
  // A row of nothing but a key is still written: triggers see it.
  const sets = (others.length > 0 ? others : merge.key).map((name) => `t.${quote(name)} = s.${quote(name)}`);
  if (merge.marks) sets.push(`t.${quote(DELETED_AT)} = null`);
  const { info } = await merge.wire.run(`update ${joined({ ...merge, where: '' })} set ${sets.join(', ')} where ${merge.where}`);
  // The number of affected rows leaves out those that are as before.
  const told = /Rows matched: (\d+)/.exec(info)?.[1];
  const matched = told === undefined ? await countOf(merge.wire, joined(merge)) : Number(told);
  return { matched, updated: matched };
}

/** Gives one row its new key. Answers whether there was one with the key before; not where another has the new one already and takes its place. */
async function move(stream: MysqlStream, merge: StageMerge, maybe: boolean): Promise<boolean> {
  const { wire, where } = merge;
  const from = `${quote(merge.stage)} s straight_join ${quote(merge.table)} t on ${isBefore(stream)}`;
  if ((await countOf(wire, `${from} where ${where}`)) === 0) return false;
  // It was loaded under its new key already.
  if (maybe && (await countOf(wire, `${joined(merge)} and ${isMoved(stream)}`)) > 0) {
    await wire.run(`delete t from ${from} where ${where}`);
    return false;
  }
  const sets = merge.columns.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`);
  if (merge.marks) sets.push(`t.${quote(DELETED_AT)} = null`);
  await wire.run(`update ${from} set ${sets.join(', ')} where ${where}`);
  return true;
}

/** Removes rows, or marks them, or lets them be; all of them without a condition. */
async function remove(wire: Wire, { table, stage, keyColumns, request }: MysqlStream, where?: string): Promise<number> {
  const how = request.deletes ?? 'delete';
  if (how === 'keep') return 0;
  const isKey = keyColumns.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`).join(' and ');
  const from = where === undefined ? `${quote(table.name)} t` : `${quote(stage)} s straight_join ${quote(table.name)} t on ${isKey}`;
  const tests = [...(where === undefined ? [] : [where]), ...(how === 'mark' ? [`t.${quote(DELETED_AT)} is null`] : [])];
  const which = tests.length > 0 ? ` where ${tests.join(' and ')}` : '';
  const { affected } = await wire.run(
    how === 'mark' ? `update ${from} set t.${quote(DELETED_AT)} = utc_timestamp(6)${which}` : `delete t from ${from}${which}`,
  );
  return affected;
}

async function countOf(wire: Wire, from: string): Promise<number> {
  const [[count] = []] = await wire.rows(`select count(*) from ${from}`);
  return Number(count ?? 0);
}
