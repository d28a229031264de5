import type { Group } from '../../sql-target/apply/rounds.ts';
import { type AppliedStream, GROUP, PLACE, removalOf, wordsOf } from './stream.ts';

/** A statement that is quicker than the one below, and tells less. */
interface QuickStatement {
  readonly text: string;
  /** Of which kind the rows are that it says it has concerned. */
  readonly counts: 'inserted' | 'updated' | 'deleted';
  /** Unless it concerns each of the group's rows something is not as it mostly is, and the other one has to be made instead. */
  readonly isForAll: boolean;
}

/** What most changes are: updates of rows that are there, and inserts of rows that are not. */
export function quickStatementFor(
  stream: AppliedStream,
  group: Pick<Group, 'kind' | 'maybe' | 'absent'>,
  /** Undefined where all rows in the stage are of it. */
  number: number | undefined,
): QuickStatement | undefined {
  const { table } = stream;
  const stage = `pg_temp.${stream.stage} s`;
  const ofGroup = number === undefined ? 'true' : `s.${GROUP} = ${number}`;
  const words = wordsOf(stream, group.absent);
  if (group.kind === 'truncate' || group.kind === 'delete') {
    const text = group.kind === 'delete' ? removalOf(stream, stage, `${ofGroup} and ${words.sameKey('s')}`) : removalOf(stream, '', '');
    return text === undefined ? undefined : { text, counts: 'deleted', isForAll: false };
  }
  if (group.maybe || group.kind === 'move') return undefined;
  if (group.kind === 'update')
    return {
      text: `update ${table} t set ${words.assignments('s')} from ${stage} where ${ofGroup} and ${words.sameKey('s')}`,
      counts: 'updated',
      isForAll: true,
    };
  const values = `select ${words.values('s')} from ${stage} where ${ofGroup}`;
  return {
    text: `insert into ${table} (${words.list}) overriding system value ${values} ${words.conflict} nothing`,
    counts: 'inserted',
    isForAll: true,
  };
}

/**
 * One statement that makes all changes of a group, whose rows have this number in the stage. It answers one row: the number, how many rows it
 * has inserted, updated and deleted, and the places of those that are missing.
 */
export function statementFor(stream: AppliedStream, group: Group, number: number): string {
  const { table, relation } = stream;
  const stage = `pg_temp.${stream.stage} s`;
  const ofGroup = `s.${GROUP} = ${number}`;
  const words = wordsOf(stream, group.absent);
  const answer = (inserted: string, updated: string, deleted: string, missing = 'null'): string =>
    `select ${number}, ${inserted}, ${updated}, ${deleted}, ${missing}`;
  const insert = (which: string, conflict: string, tells: string): string =>
    `insert into ${table} as t (${words.list}) overriding system value select ${words.values('s')} from ${stage} where ${ofGroup}${which} ${words.conflict} ${conflict} returning ${tells}`;
  const update = (sets: string, which: string): string =>
    `update ${table} t set ${sets} from ${stage} where ${ofGroup} and ${which} returning s.${PLACE} as n`;
  const count = (of: string, where = ''): string => `(select count(*) from ${of}${where})`;
  const others = (known: string): string => `(select string_agg(s.${PLACE}::text, ' ') from ${stage} where ${ofGroup} and ${known})`;
  const isComplete = group.kind === 'insert' || group.absent === '';
  const isNotMet = `s.${PLACE} not in (select n from m)`;
  const isNotThere = `not exists (select from ${table} t where ${words.sameKey('s')})`;

  // Where rows that are gone are kept, there is nothing to do. Elsewhere the quick one does it.
  if (group.kind === 'truncate' || group.kind === 'delete') return answer('0', '0', '0');
  if (group.kind === 'insert' && !group.maybe) {
    const put = insert('', `update set ${words.assignments('excluded')}`, relation.kind === 'r' ? '(t.xmax = 0) as fresh' : '1');
    // A row that was inserted has no older version; parts of a partitioned table do not tell.
    if (relation.kind === 'r') return `with m as (${put}) ${answer(count('m', ' where fresh'), count('m', ' where not fresh'), '0')}`;
    const there = `(select count(*) as n from ${stage} where ${ofGroup} and not (${isNotThere}))`;
    return `with b as ${there}, m as (${put}) ${answer(`${count('m')} - (select n from b)`, '(select n from b)', '0')}`;
  }
  if (group.kind === 'move') {
    const move = update(words.everything('s'), words.sameBefore('s'));
    if (!isComplete) return `with m as (${move}) ${answer('0', count('m'), '0', others(isNotMet))}`;
    const tells = relation.kind === 'r' ? '(t.xmax = 0) as fresh' : 'true as fresh';
    const put = insert(` and ${isNotMet}`, `update set ${words.assignments('excluded')}`, tells);
    const updated = `${count('m')} + ${count('i', ' where not fresh')}`;
    return `with m as (${move}), i as (${put}) ${answer(count('i', ' where fresh'), updated, '0')}`;
  }
  const change = update(words.assignments('s'), `${words.sameKey('s')}${group.maybe ? ` and ${words.differs('s')}` : ''}`);
  const isMissing = group.maybe ? isNotThere : isNotMet;
  if (!isComplete) return `with m as (${change}) ${answer('0', count('m'), '0', others(isMissing))}`;
  // A trigger may have left an update out: then the row is there.
  const put = insert(` and ${isMissing}`, 'nothing', '1');
  return `with m as (${change}), i as (${put}) ${answer(count('i'), count('m'), '0')}`;
}
