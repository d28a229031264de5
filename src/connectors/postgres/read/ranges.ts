import type { Range, ReadRequest } from '../../contract.ts';
import { demandStream, hasIds, type Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import { expressionOf } from './pages.ts';
import type { PostgresReadPlan } from './plan.ts';
import { planOf } from './read.ts';

/** However large a table is: what is known of each range is kept together. */
const MOST_RANGES = 256;
/** So many rows tell well enough where to cut, as whole pages of the table are looked at: neighbours are alike. */
const SAMPLE_PER_RANGE = 2_000;
const LARGEST_SAMPLE = 100_000;

/** Cuts a read where a sample of its rows says that the ranges are about equal. */
export async function ranges(links: Links, request: ReadRequest, rows: number, schema: string): Promise<Range[]> {
  return links.use('read', request.signal, async (link) => {
    const relation = await demandStream(link, request.stream, schema);
    const count = Math.min(MOST_RANGES, Math.floor((relation.estimatedRows ?? 0) / rows));
    if (count < 2 || !hasIds(relation)) return [];
    const plan = await planOf({ link, relation, request });
    if (plan.order.length === 0) return [];
    const cuts = (await cutsOf(link, relation, plan, count)).map((last) => plan.positionOf(last, 0));
    const [first, ...others] = cuts;
    if (first === undefined) return [];
    return [
      { ...(plan.start !== undefined && { after: plan.start }), upTo: first },
      ...others.map((upTo, i) => ({ after: cuts[i] as string, upTo })),
      { after: cuts.at(-1) as string },
    ];
  });
}

/** The last rows of all ranges but the last, which is open: what is added at the end belongs to it. */
async function cutsOf(link: Link, relation: Relation, { conditions, order }: PostgresReadPlan, count: number): Promise<string[][]> {
  const names = order.map(quoteName).join(', ');
  const keys = order.map((name, i) => `(${expressionOf(relation, name)})::text as k${i}`);
  const wanted = Math.min(LARGEST_SAMPLE, count * SAMPLE_PER_RANGE);
  const percent = Math.min(100, (100 * wanted) / (relation.estimatedRows ?? wanted));
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const rows = await link.query(
    `select distinct on (tile) ${order.map((_, i) => `k${i}`).join(', ')} from (
       select ${keys.join(', ')}, ntile(${count}) over by_key as tile, row_number() over by_key as place
       from ${quoteRelation(relation)} tablesample system (${percent}) ${where} window by_key as (order by ${names})) sample
     where tile < ${count} order by tile, place desc`,
  );
  return rows.map((row) => order.map((_, i) => row[`k${i}`] as string));
}
