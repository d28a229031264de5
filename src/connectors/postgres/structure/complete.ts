import type { StructuredStream } from '../../structure.ts';
import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteRelation, quoteText } from '../catalogue/names.ts';
import type { Links } from '../wire/links.ts';
import type { DescribedColumn, DescribedObject } from './described.ts';
import { lackingOf, mark } from './marks.ts';
import { moveSequences, numberingOf } from './sequences.ts';
import { type Site, siteOf, take } from './site.ts';

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
    for (const object of site.wanted.objects) await addObject(site, object);
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

/** NULL takes a comment away. */
export function commentOn(what: string, comment: string | null): string {
  return `comment on ${what} is ${comment === null ? 'null' : quoteText(comment)}`;
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

const WORDS: Readonly<Record<DescribedObject['kind'], string>> = { primary: 'primary key', constraint: 'constraint', index: 'index' };

async function addObject(site: Site, object: DescribedObject): Promise<void> {
  const { place, table, stream, warnings } = site;
  const what = `The ${WORDS[object.kind]} "${object.name}"`;
  const missing = object.columns.filter((column) => nameAt(stream, column) !== column);
  if (missing.length > 0) {
    warnings.push(
      `${what} is left out: ${missing.map((name) => `"${name}"`).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not brought over under that name.`,
    );
    return;
  }
  if (object.definition === null) {
    warnings.push(`${what} is left out: how it is made could not be told.`);
    return;
  }
  const isDone =
    object.kind === 'primary' ? await addPrimaryKey(site, what, object, object.definition) : await take(site, creation(site, what, object));
  if (!isDone || object.comment === null) return;
  const named =
    object.kind === 'index'
      ? `index ${quoteRelation({ ...table, name: object.name })}`
      : `constraint ${quoteName(object.name)} on ${place}`;
  await take(site, { what: `The comment on ${what.replace('The', 'the')}`, lacking: 'structure', make: commentOn(named, object.comment) });
}

function creation({ place }: Site, what: string, { kind, name, definition, isUnique }: DescribedObject) {
  const lacking = 'structure' as const;
  const on = `${quoteText(place)}::regclass`;
  if (kind === 'index')
    return {
      what,
      lacking,
      isThere: `select from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid where i.indrelid = ${on} and x.relname = ${quoteText(name)}`,
      make: `create ${isUnique ? 'unique ' : ''}index ${quoteName(name)} on ${place} ${definition}`,
    };
  return {
    what,
    lacking,
    isThere: `select from pg_catalog.pg_constraint where conrelid = ${on} and conname = ${quoteText(name)}`,
    make: `alter table ${place} add constraint ${quoteName(name)} ${definition}`,
  };
}

/** The load has made one already, by the key of the stream: it gets the name and the form that it has at the source. */
async function addPrimaryKey(site: Site, what: string, object: DescribedObject, definition: string): Promise<boolean> {
  const { link, place, warnings } = site;
  const [own] = await link.query<{ name: string; definition: string; columns: string }>(
    `select c.conname as name, pg_catalog.pg_get_constraintdef(c.oid) as definition, (select json_agg(a.attname)::text from pg_catalog.pg_attribute a
       where a.attrelid = c.conrelid and a.attnum = any(c.conkey)) as columns
     from pg_catalog.pg_constraint c where c.conrelid = $1::regclass and c.contype = 'p'`,
    [place],
  );
  if (!own) return take(site, creation(site, what, object));
  if (own.definition === definition) {
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
  const make = `alter table ${place} drop constraint ${quoteName(own.name)}, add constraint ${quoteName(object.name)} ${definition}`;
  return take(site, { what, lacking: 'structure', make });
}
