import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteRelation, quoteText } from '../catalogue/names.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import type { DescribedObject } from './described.ts';
import { commentOn, SIDE_BY_SIDE, type Site, type StructureStep, take } from './site.ts';

/** Makes keys, constraints and indexes: what takes longest, the indexes, side by side, and then whatever needs the table to itself. */
export async function addObjects(links: Links, site: Site, signal: AbortSignal | undefined): Promise<void> {
  const jobs = site.wanted.objects.map((object) => jobOf(site, object));
  await makeIndexes(links, site, jobs, signal);
  for (const job of jobs) {
    if (!job.isRefused) await addObject({ ...site, warnings: job.warnings }, job);
    site.warnings.push(...job.warnings);
  }
}

async function makeIndexes(links: Links, site: Site, jobs: readonly ObjectJob[], signal: AbortSignal | undefined): Promise<void> {
  const waiting = jobs.filter(({ index }) => index !== undefined);
  const make = async (link: Link): Promise<void> => {
    try {
      for (let job = waiting.shift(); job?.index; job = waiting.shift())
        job.isRefused = !(await take({ ...site, link, warnings: job.warnings }, job.index));
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  };
  const more = Math.min(SIDE_BY_SIDE, waiting.length) - 1;
  const making = [make(site.link), ...Array.from({ length: Math.max(0, more) }, () => links.use('write', signal, make))];
  // When one fails, the others are over too before it is told.
  for (const outcome of await Promise.allSettled(making)) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Something that a table is to have, and what has come of it. */
interface ObjectJob {
  readonly object: DescribedObject;
  /** How it is called in sentences. */
  readonly what: string;
  /** The index that it is, or that it is made from. */
  readonly index?: StructureStep | undefined;
  /** It cannot be made, or its index could not. */
  isRefused: boolean;
  readonly warnings: string[];
}

const WORDS: Readonly<Record<DescribedObject['kind'], string>> = { primary: 'primary key', constraint: 'constraint', index: 'index' };

function jobOf(site: Site, object: DescribedObject): ObjectJob {
  const what = `The ${WORDS[object.kind]} "${object.name}"`;
  const missing = object.columns.filter((column) => nameAt(site.stream, column) !== column);
  const leftOut = (why: string): ObjectJob => ({ object, what, isRefused: true, warnings: [`${what} is left out: ${why}.`] });
  if (missing.length > 0)
    return leftOut(
      `${missing.map((name) => `"${name}"`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not brought over under that name`,
    );
  if (object.definition === null) return leftOut('how it is made could not be told');
  return { object, what, index: indexOf(site, what, object), isRefused: false, warnings: [] };
}

// What an index becomes without more words, as pg_get_constraintdef tells it: neither deferrable, nor NULLS NOT DISTINCT, nor of times.
const OF_INDEX = /^UNIQUE (\(.*(?<! WITHOUT OVERLAPS)\))$/;

/** Makes the index of an object in a lock that others of its kind share; undefined when it has none, or it cannot be made by itself. */
function indexOf({ place }: Site, what: string, object: DescribedObject): StructureStep | undefined {
  const { kind, name, definition, isUnique } = object;
  const columns = kind === 'index' ? definition : kind === 'constraint' ? OF_INDEX.exec(definition ?? '')?.[1] : undefined;
  if (!columns) return undefined;
  const on = `${quoteText(place)}::regclass`;
  const make = `create ${isUnique ? 'unique ' : ''}index ${quoteName(name)} on ${place} ${columns}`;
  return {
    what,
    lacking: 'structure',
    isThere: `select from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid where i.indrelid = ${on} and x.relname = ${quoteText(name)}`,
    make,
    mend: kind === 'index' ? make : `alter table ${place} add constraint ${quoteName(name)} ${definition}`,
    isBeside: true,
  };
}

async function addObject(site: Site, { object, what, index }: ObjectJob): Promise<void> {
  const { place, table } = site;
  const { kind, name, comment } = object;
  const isDone =
    kind === 'index' ||
    (await (kind === 'primary' ? addPrimaryKey(site, what, object) : take(site, constraintOf(site, what, object, index !== undefined))));
  if (!isDone || comment === null) return;
  const named = kind === 'index' ? `index ${quoteRelation({ ...table, name })}` : `constraint ${quoteName(name)} on ${place}`;
  await take(site, { what: `The comment on ${what.replace('The', 'the')}`, lacking: 'structure', make: commentOn(named, comment) });
}

function constraintOf({ place }: Site, what: string, { name, definition }: DescribedObject, hasIndex: boolean): StructureStep {
  const form = hasIndex ? `unique using index ${quoteName(name)}` : definition;
  return {
    what,
    lacking: 'structure',
    isThere: `select from pg_catalog.pg_constraint where conrelid = ${quoteText(place)}::regclass and conname = ${quoteText(name)}`,
    make: `alter table ${place} add constraint ${quoteName(name)} ${form}`,
  };
}

/** The load has made one already, by the key of the stream: it gets the name and the form that it has at the source. */
async function addPrimaryKey(site: Site, what: string, object: DescribedObject): Promise<boolean> {
  const { link, place, warnings } = site;
  const [own] = await link.query<{ name: string; definition: string; columns: string }>(
    `select c.conname as name, pg_catalog.pg_get_constraintdef(c.oid) as definition, (select json_agg(a.attname)::text from pg_catalog.pg_attribute a
       where a.attrelid = c.conrelid and a.attnum = any(c.conkey)) as columns
     from pg_catalog.pg_constraint c where c.conrelid = $1::regclass and c.contype = 'p'`,
    [place],
  );
  if (!own) return take(site, constraintOf(site, what, object, false));
  if (own.definition === object.definition) {
    if (own.name === object.name) return true;
    return take(site, {
      what,
      lacking: 'structure',
      make: `alter table ${place} rename constraint ${quoteName(own.name)} to ${quoteName(object.name)}`,
    });
  }
  const columns = JSON.parse(own.columns) as string[];
  if (columns.some((column) => !object.columns.includes(column))) {
    warnings.push(`${what} is left out: the key of the stream is the primary key here.`);
    return false;
  }
  const make = `alter table ${place} drop constraint ${quoteName(own.name)}, add constraint ${quoteName(object.name)} ${object.definition}`;
  return take(site, { what, lacking: 'structure', make });
}
