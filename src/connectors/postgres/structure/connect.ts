import type { StructuredStream } from '../../structure.ts';
import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteText, type RelationName } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { commentOn } from './complete.ts';
import type { DescribedReference } from './described.ts';
import { lackingOf } from './marks.ts';
import { moveSequences } from './sequences.ts';
import { type Site, siteOf, take } from './site.ts';

/** Makes the foreign keys between tables that are complete, and moves sequences forward. */
export async function connect(
  links: Links,
  streams: readonly StructuredStream[],
  home: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  return links.use('write', signal, async (link) => {
    const sites = streams.map((stream) => siteOf(link, stream, home));
    for (const site of sites) {
      if (site.stream.connects && (await lackingOf(link, site.table, site.stream.owner)) === 'references') await refer(site, sites);
      await moveSequences(site);
    }
    return new Map(sites.map(({ stream, warnings }) => [stream.stream, warnings]));
  });
}

/** Makes the references of a table. Those to a table that is not loaded yet are left for the next time, and with them the mark. */
async function refer(site: Site, sites: readonly Site[]): Promise<void> {
  const { link, place, wanted } = site;
  let isWaiting = false;
  for (const reference of wanted.references) {
    const to = sites.find((other) => other.wanted.schema === reference.toSchema && other.wanted.name === reference.to);
    if (to && (await isUnfinished(link, to))) isWaiting = true;
    else await addReference(site, reference, to);
  }
  if (isWaiting) return;
  await take(site, { what: 'The comment', lacking: 'references', make: commentOn(`table ${place}`, wanted.comment) });
}

async function isUnfinished(link: Link, { table, stream }: Site): Promise<boolean> {
  return (await lackingOf(link, table, stream.owner)) === 'structure';
}

async function addReference(site: Site, reference: DescribedReference, to: Site | undefined): Promise<void> {
  const { place, stream, warnings } = site;
  const { name, rest } = reference;
  const what = `The foreign key "${name}"`;
  const asLeftOut = (why: string): void => {
    warnings.push(`${what} is left out: ${why}.`);
  };
  if (!to)
    return asLeftOut(
      `it refers to "${nameOf({ schema: reference.toSchema, name: reference.to })}", which the synchronization does not bring over`,
    );
  const columns = mapped(reference.columns, stream);
  const toColumns = mapped(reference.toColumns, to.stream);
  if (!columns || !toColumns) return asLeftOut('not all of its columns are brought over as they are');
  // ON DELETE SET NULL (column) names some of them once more.
  if (rest === null || (rest.includes('(') && reference.columns.some((column) => nameAt(stream, column) !== column)))
    return asLeftOut('how it is made could not be told');
  const isDone = await take(site, {
    what,
    lacking: 'references',
    isThere: `select from pg_catalog.pg_constraint where conrelid = ${quoteText(place)}::regclass and conname = ${quoteText(name)}`,
    make: `alter table ${place} add constraint ${quoteName(name)} foreign key (${columns}) references ${to.place} (${toColumns})${rest}`,
  });
  if (!isDone || reference.comment === null) return;
  const make = commentOn(`constraint ${quoteName(name)} on ${place}`, reference.comment);
  await take(site, { what: `The comment on the foreign key "${name}"`, lacking: 'references', make });
}

function nameOf({ schema, name }: RelationName): string {
  return `${schema}.${name}`;
}

/** Columns by their names at the target, in a statement; undefined when one of them is not there. */
function mapped(columns: readonly string[], stream: StructuredStream): string | undefined {
  const names = columns.map((column) => nameAt(stream, column));
  return names.every((name) => name !== undefined) ? names.map((name) => quoteName(name ?? '')).join(', ') : undefined;
}
