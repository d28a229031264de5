import type { StructuredStream } from '../../structure.ts';
import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteRelation } from '../catalogue/names.ts';
import type { Links } from '../wire/links.ts';
import type { DescribedColumn } from './described.ts';
import { lackingOf, mark } from './marks.ts';
import { addObjects } from './objects.ts';
import { moveSequences, numberingOf } from './sequences.ts';
import { commentOn, type Site, siteOf, take } from './site.ts';

/** Gives a table that was made for it all that it is to have but references, and notes that these are left. */
export async function complete(links: Links, stream: StructuredStream, home: string, signal?: AbortSignal): Promise<readonly string[]> {
  return links.use('write', signal, async (link) => {
    const site = siteOf(link, stream, home);
    if ((await lackingOf(link, site.table, stream.owner)) !== 'structure') return [];
    site.warnings.push(...site.leftOut);
    const carried = site.wanted.columns.flatMap((column) => {
      const name = nameAt(stream, column.name);
      return name === undefined ? [] : [{ column, name }];
    });
    await demandValues(
      site,
      carried.filter(({ column }) => column.notNull).map(({ name }) => name),
    );
    for (const { column, name } of carried) await completeColumn(site, column, name);
    await addObjects(links, site, signal);
    if (site.wanted.isPartitioned) site.warnings.push('The table is partitioned at the source; here it is one table.');
    const { references, comment } = site.wanted;
    // The end of a live run, at which tables are tied to each other, may be far away.
    if (!stream.connects) await moveSequences(site);
    if (!stream.connects && references.length > 0)
      site.warnings.push('Foreign keys are left out while the synchronization is live: its first run in another mode makes them.');
    const end = references.length > 0 ? mark(site.table, 'references', stream.owner) : commentOn(`table ${site.place}`, comment);
    await take(site, { what: 'The comment', lacking: 'structure', make: end });
    return site.warnings;
  });
}

/** NOT NULL of all columns at once, as all rows are looked at for it; one by one when a column has nulls after all. */
async function demandValues(site: Site, names: readonly string[]): Promise<void> {
  const set = (some: readonly string[]): string =>
    `alter table ${site.place} ${some.map((name) => `alter column ${quoteName(name)} set not null`).join(', ')}`;
  if (names.length === 0) return;
  const before = site.warnings.length;
  if (await take(site, { what: 'NOT NULL', lacking: 'structure', make: set(names) })) return;
  site.warnings.length = before;
  for (const name of names) await take(site, { what: `NOT NULL of the column "${name}"`, lacking: 'structure', make: set([name]) });
}

async function completeColumn(site: Site, column: DescribedColumn, name: string): Promise<void> {
  const { place, link, table } = site;
  const lacking = 'structure';
  if (column.collation !== null) {
    const [row] = await link.query<{ type: string }>(
      `select pg_catalog.format_type(a.atttypid, a.atttypmod) as type from pg_catalog.pg_attribute a where a.attrelid = $1::regclass and a.attname = $2`,
      [quoteRelation(table), name],
    );
    const make = `alter table ${place} alter column ${quoteName(name)} type ${row?.type} collate ${column.collation}`;
    await take(site, { what: `The collation of the column "${name}"`, lacking, make });
  }
  const numbering = numberingOf(site, column, name);
  if (numbering) await take(site, numbering);
  else if (column.default !== null)
    await take(site, {
      what: `The default of the column "${name}"`,
      lacking,
      make: `alter table ${place} alter column ${quoteName(name)} set default ${column.default}`,
    });
  if (column.generated !== null)
    site.warnings.push(`The column "${name}" is computed at the source; here it is a plain one, with what was read.`);
  if (column.comment !== null)
    await take(site, {
      what: `The comment on the column "${name}"`,
      lacking,
      make: commentOn(`column ${place}.${quoteName(name)}`, column.comment),
    });
}
