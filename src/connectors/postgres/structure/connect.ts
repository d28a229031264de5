import type { StructuredStream } from '../../structure.ts';
import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteText, type RelationName } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import type { DescribedReference } from './described.ts';
import { lackingOf } from './marks.ts';
import { moveSequences } from './sequences.ts';
import { commentOn, SIDE_BY_SIDE, type Site, siteOf, take } from './site.ts';

/** Makes the foreign keys between tables that are complete, and moves sequences forward. */
export async function connect(
  links: Links,
  streams: readonly StructuredStream[],
  home: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const warnings = new Map(streams.map(({ stream }): [string, string[]] => [stream, []]));
  const using = <T>(work: (sites: readonly Site[]) => Promise<T>): Promise<T> =>
    links.use('write', signal, (link) =>
      work(streams.map((stream) => ({ ...siteOf(link, stream, home), warnings: warnings.get(stream.stream) ?? [] }))),
    );
  const referring = await using(async (sites) => {
    const found: Referring[] = [];
    for (const [place, site] of sites.entries()) {
      await moveSequences(site);
      if (site.stream.connects && (await lackingOf(site.link, site.table, site.stream.owner)) === 'references')
        found.push({ place, ...(await refer(site, sites)) });
    }
    return found;
  });
  // To look at all rows takes long, and needs no lock that others wait for.
  const waiting = referring.flatMap(({ place, made }) => made.map((reference) => ({ place, reference })));
  const validate = (): Promise<void> =>
    using(async (sites) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await validateReference(sites[next.place] as Site, next.reference);
    });
  await Promise.all(waiting.slice(0, SIDE_BY_SIDE).map(validate));
  await using(async (sites) => {
    for (const { place, isWaiting } of referring) {
      const site = sites[place] as Site;
      const make = commentOn(`table ${site.place}`, site.wanted.comment);
      if (!isWaiting) await take(site, { what: 'The comment', lacking: 'references', make });
    }
  });
  return warnings;
}

interface Referred {
  /** Those that are made, and whose rows are still to be looked at. */
  readonly made: readonly DescribedReference[];
  /** One refers to a table that is not loaded yet. */
  readonly isWaiting: boolean;
}

interface Referring extends Referred {
  /** Which of the streams it is. */
  readonly place: number;
}

/** Makes the references of a table. Those to a table that is not loaded yet are left for the next time, and with them the mark. */
async function refer(site: Site, sites: readonly Site[]): Promise<Referred> {
  const made: DescribedReference[] = [];
  let isWaiting = false;
  for (const reference of site.wanted.references) {
    const to = sites.find((other) => other.wanted.schema === reference.toSchema && other.wanted.name === reference.to);
    if (to && (await isUnfinished(site.link, to))) isWaiting = true;
    else if (await addReference(site, reference, to)) made.push(reference);
  }
  return { made, isWaiting };
}

const NOT_VALID = / not valid$/i;

/** Holds the rows against a foreign key. One that they break does not stay. */
async function validateReference(site: Site, { name, rest, comment }: DescribedReference): Promise<void> {
  const { place, link, stream } = site;
  const of = `conrelid = ${quoteText(place)}::regclass and conname = ${quoteText(name)}`;
  if (!NOT_VALID.test(rest ?? '')) {
    const [added] = await link.query<{ text: string }>(
      `select pg_catalog.pg_get_constraintdef(oid) as text from pg_catalog.pg_constraint where ${of}`,
    );
    const isKept = await take(site, {
      what: `The foreign key "${name}"`,
      lacking: 'references',
      isThere: `select from pg_catalog.pg_constraint where ${of} and convalidated`,
      make: `alter table ${place} validate constraint ${quoteName(name)}`,
      mend: `alter table ${place} add constraint ${quoteName(name)} ${added?.text.replace(/ NOT VALID$/, '')}`,
    });
    if (!isKept && (await lackingOf(link, site.table, stream.owner)) === 'references')
      await link.run(`alter table ${place} drop constraint if exists ${quoteName(name)}`);
    if (!isKept) return;
  }
  if (comment === null) return;
  const make = commentOn(`constraint ${quoteName(name)} on ${place}`, comment);
  await take(site, { what: `The comment on the foreign key "${name}"`, lacking: 'references', make });
}

async function isUnfinished(link: Link, { table, stream }: Site): Promise<boolean> {
  return (await lackingOf(link, table, stream.owner)) === 'structure';
}

async function addReference(site: Site, reference: DescribedReference, to: Site | undefined): Promise<boolean> {
  const { place, stream, warnings } = site;
  const { name, rest } = reference;
  const what = `The foreign key "${name}"`;
  const asLeftOut = (why: string): boolean => {
    warnings.push(`${what} is left out: ${why}.`);
    return false;
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
  return take(site, {
    what,
    lacking: 'references',
    isThere: `select from pg_catalog.pg_constraint where conrelid = ${quoteText(place)}::regclass and conname = ${quoteText(name)}`,
    make: `alter table ${place} add constraint ${quoteName(name)} foreign key (${columns}) references ${to.place} (${toColumns})${rest}${NOT_VALID.test(rest) ? '' : ' not valid'}`,
  });
}

function nameOf({ schema, name }: RelationName): string {
  return `${schema}.${name}`;
}

/** Columns by their names at the target, in a statement; undefined when one of them is not there. */
function mapped(columns: readonly string[], stream: StructuredStream): string | undefined {
  const names = columns.map((column) => nameAt(stream, column));
  return names.every((name) => name !== undefined) ? names.map((name) => quoteName(name ?? '')).join(', ') : undefined;
}
