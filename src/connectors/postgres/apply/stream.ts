import type { AppliedTo } from '../../changes.ts';
import { MARK } from '../../marks.ts';
import type { Field } from '../../contract.ts';
import { comparedExpression } from '../catalogue/column-types.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { PostgresColumn, Relation } from '../catalogue/relations.ts';

/** A stream that changes are applied to, with the words that all its statements are made of. */
export interface AppliedStream {
  readonly request: AppliedTo;
  readonly relation: Relation;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly columns: readonly PostgresColumn[];
  /** In statements. */
  readonly table: string;
  /** The temporary table that its changes go through. Another one after every change of the fields. */
  readonly stage: string;
  readonly deletes: 'delete' | 'mark' | 'keep';
  /** The server numbers its key itself and lets nobody change it: a row with another key is another row. */
  readonly hasFixedKey: boolean;
}

let stages = 0;

export function appliedStream(request: AppliedTo, relation: Relation, fields: readonly Field[]): AppliedStream {
  const columns = fields.map(({ name }) => relation.columns.find((column) => column.name === name) as PostgresColumn);
  return {
    request,
    relation,
    fields,
    key: request.key,
    columns,
    table: quoteRelation(relation),
    stage: `syncline_changes_${++stages}`,
    deletes: request.deletes ?? 'delete',
    hasFixedKey: columns.some(({ name, generated }) => request.key.includes(name) && generated === 'always'),
  };
}

/** What each row of the stage says besides its values: its place, its group, and the key before. */
export const PLACE = '_syncline_n';
export const GROUP = '_syncline_g';
export const before = (index: number): string => `_syncline_k${index}`;

const MARKED = quoteName(MARK.name);

/** The parts of statements about the changes of a shape: rows of which not all values are told leave the others as they are. */
interface Words {
  /** The columns that are told. */
  readonly list: string;
  /** Their values, of a row that is called so. */
  values(from: string): string;
  /** `a = s.a, b = s.b`, without the key. It is never empty. */
  assignments(from: string): string;
  /** The key, too. */
  everything(from: string): string;
  /** That anything but the key differs from the row `t`. */
  differs(from: string): string;
  /** That the row `t` has this key. */
  sameKey(from: string): string;
  /** That it has the key before. */
  sameBefore(from: string): string;
  readonly conflict: string;
}

export function wordsOf({ columns, key, deletes }: AppliedStream, absent: string): Words {
  const left = new Set(absent === '' ? [] : absent.split(' ').map(Number));
  const told = columns.filter((_, place) => !left.has(place));
  // The server numbers these itself and lets nobody change them.
  const others = told.filter(({ name, generated }) => !key.includes(name) && generated === '');
  const isMarking = deletes === 'mark';
  const assign = (from: string, names: readonly string[]): string =>
    [...names.map((name) => `${quoteName(name)} = ${from}.${quoteName(name)}`), ...(isMarking ? [`${MARKED} = null`] : [])].join(', ');
  const otherNames = others.map(({ name }) => name);
  return {
    list: told.map(({ name }) => quoteName(name)).join(', '),
    values: (from) => told.map(({ name }) => `${from}.${quoteName(name)}`).join(', '),
    // A row of nothing but a key is still written: triggers see it.
    assignments: (from) => assign(from, otherNames.length > 0 || isMarking ? otherNames : key),
    everything: (from) => assign(from, [...key, ...otherNames]),
    differs: (from) => {
      const pairs = others.map(
        ({ name, base }) =>
          `${comparedExpression(`t.${quoteName(name)}`, base)} is distinct from ${comparedExpression(`${from}.${quoteName(name)}`, base)}`,
      );
      if (isMarking) pairs.push(`t.${MARKED} is not null`);
      return pairs.length > 0 ? `(${pairs.join(' or ')})` : 'false';
    },
    sameKey: (from) => key.map((name) => `t.${quoteName(name)} = ${from}.${quoteName(name)}`).join(' and '),
    sameBefore: (from) => key.map((name, i) => `t.${quoteName(name)} = ${from}.${before(i)}`).join(' and '),
    conflict: `on conflict (${key.map(quoteName).join(', ')}) do`,
  };
}

/** What happens to rows `t` that are gone; undefined when nothing does. */
export function removalOf({ table, deletes }: AppliedStream, from: string, where: string): string | undefined {
  if (deletes === 'keep') return undefined;
  const condition = (more: string): string => [where, more].filter((part) => part !== '').join(' and ');
  if (deletes === 'mark')
    return `update ${table} t set ${MARKED} = clock_timestamp()${from && ` from ${from}`} where ${condition(`t.${MARKED} is null`)}`;
  return `delete from ${table} t${from && ` using ${from}`}${where && ` where ${where}`}`;
}
