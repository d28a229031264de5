import type { WriteRequest } from '../../contract.ts';
import type { PostgresColumn, Relation } from '../catalogue/relations.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { DELETED_AT } from '../../marks.ts';
import { comparedExpression } from '../catalogue/column-types.ts';

/** The statements that bring rows from a stage into the target. They leave rows alone that are as they should be. */
export interface MergeSql {
  /** The columns that are written, for COPY and insert. */
  list: string;
  /** Inserts and updates by key; answers how many were inserted, updated and left alone. */
  upsert(stage: string): string;
  /** Removes or marks the rows of the keys in the stage; answers how many. */
  remove(stage: string): string;
  /** That a row of the stage `s` and one of the target `t` have the same key. */
  sameKey: string;
  /** That they differ in anything else. */
  differs: string;
  /** `a = s.a, b = s.b`, or empty when there is nothing but the key. */
  assignments: string;
}

export function mergeOf(relation: Relation, { fields, key, deletes }: WriteRequest): MergeSql {
  const target = quoteRelation(relation);
  const columns = fields.map(({ name }) => relation.columns.find((column) => column.name === name) as PostgresColumn);
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  const marks = deletes === 'mark';
  // The server numbers these itself and lets nobody change them.
  const others = columns.filter(({ name, generated }) => !key.includes(name) && generated === '');
  const isDifferent = (from: string): string => {
    const pairs = others.map(({ name, base }) => {
      const column = quoteName(name);
      return `${comparedExpression(`t.${column}`, base)} is distinct from ${comparedExpression(`${from}.${column}`, base)}`;
    });
    if (marks) pairs.push(`t.${quoteName(DELETED_AT)} is not null`);
    return pairs.length > 0 ? `(${pairs.join(' or ')})` : 'false';
  };
  const assign = (from: string): string =>
    [
      ...others.map(({ name }) => `${quoteName(name)} = ${from}.${quoteName(name)}`),
      ...(marks ? [`${quoteName(DELETED_AT)} = null`] : []),
    ].join(', ');
  const sameKey = key.map((name) => `s.${quoteName(name)} = t.${quoteName(name)}`).join(' and ');
  const conflict = `on conflict (${key.map(quoteName).join(', ')}) do ${
    assign('excluded') === '' ? 'nothing' : `update set ${assign('excluded')} where ${isDifferent('excluded')}`
  }`;
  const insert = (stage: string): string =>
    `insert into ${target} as t (${list}) overriding system value select ${list} from ${stage} ${conflict}`;

  return {
    list,
    sameKey,
    differs: isDifferent('s'),
    assignments: assign('s'),
    upsert: (stage) =>
      // A row that was inserted has no older version; parts of a partitioned table do not tell.
      relation.kind === 'r'
        ? `with m as (${insert(stage)} returning (t.xmax = 0) as fresh)
           select count(*) filter (where fresh), count(*) filter (where not fresh), (select count(*) from ${stage}) - count(*) from m`
        : `with b as (select count(*) as n from ${stage} s join ${target} t on ${sameKey}), m as (${insert(stage)} returning 1)
           select a.n - b.n, m.n - (a.n - b.n), a.n - m.n from b, (select count(*) as n from ${stage}) a, (select count(*) as n from m) m`,
    remove: (stage) => {
      if (deletes === 'keep') return 'select 0';
      const change = marks
        ? `update ${target} t set ${quoteName(DELETED_AT)} = clock_timestamp() from ${stage} s where ${sameKey} and t.${quoteName(DELETED_AT)} is null`
        : `delete from ${target} t using ${stage} s where ${sameKey}`;
      return `with m as (${change} returning 1) select count(*) from m`;
    },
  };
}
