import type { Value } from '../../canonical.ts';
import { readExpression } from '../catalogue/column-types.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { findRelationById } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';

/** The rows of these keys as they are now. Those that are gone are missing; a column that is gone is null. */
export async function lookUp(
  link: Link,
  oid: string,
  fields: readonly string[],
  key: readonly string[],
  keys: readonly (readonly Value[])[],
): Promise<Value[][]> {
  const relation = await findRelationById(link, oid);
  if (!relation || keys.length === 0) return [];
  const of = new Map(relation.columns.map((column) => [column.name, column]));
  const wanted = fields.map((name, index) => {
    const column = of.get(name);
    return `${column ? readExpression(`t.${quoteName(name)}`, column.base) : 'null::text'} as c${index}`;
  });
  const matches = key.map((name, index) => {
    const { cast = 'text', base = '' } = of.get(name) ?? {};
    return `t.${quoteName(name)} = (k.v->>${index})::${base === 'money' ? `numeric::${cast}` : cast}`;
  });
  const rows = await link.query(
    `select ${wanted.join(', ')} from (select distinct on (e.v::text) e.v from json_array_elements($1::json) e(v)) k join ${quoteRelation(relation)} t on ${matches.join(' and ')}`,
    [JSON.stringify(keys)],
  );
  return rows.map((row) => fields.map((_, index) => row[`c${index}`] ?? null));
}
