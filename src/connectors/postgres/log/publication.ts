import { OutsideError } from '../../../outside/errors.ts';
import type { LogStream } from '../../changes.ts';
import { quoteName, quoteRelation, quoteText } from '../catalogue/names.ts';
import type { Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { serverErrorOf, sqlState } from '../wire/sql-errors.ts';
import { publicationChanged } from './gaps.ts';

// The publication says which tables are told of. Ours has just those of the synchronization, and we note on it what we have put in there: a table that was taken out and
// put in again has another entry, and its changes in between are lost.

/** A stream and the table that it is. */
export interface PublishedStream {
  readonly stream: LogStream;
  readonly relation: Relation;
}

export interface Publication {
  readonly name: string;
  /** We have made it, and change it. */
  readonly isOurs: boolean;
}

const GENERATED_SINCE = 180_000;
const COMMENT = `select obj_description(oid, 'pg_publication') as comment from pg_catalog.pg_publication where pubname = $1`;

/** Makes our publication, or makes it fit these tables. It answers those that are new in it, by their numbers. */
export async function writePublication(link: Link, name: string, relations: readonly Relation[], version: number): Promise<string[]> {
  const tables = relations.map(quoteRelation).join(', ');
  const generated = version >= GENERATED_SINCE ? ', publish_generated_columns = stored' : '';
  // Parts are told as what they are: as the whole, the server would not tell when a single one is emptied by TRUNCATE.
  const options = `publish = 'insert, update, delete, truncate', publish_via_partition_root = false${generated}`;
  const [found] = await link.query(COMMENT, [name]);
  const before = notedEntries(found?.['comment'] ?? null);
  await link.run('begin');
  try {
    if (!found) await link.run(`create publication ${quoteName(name)}${tables && ` for table ${tables}`} with (${options})`);
    else if (tables)
      await link.run(`alter publication ${quoteName(name)} set table ${tables}; alter publication ${quoteName(name)} set (${options})`);
    else await link.run(`drop publication ${quoteName(name)}; create publication ${quoteName(name)} with (${options})`);
    const entries = await noteEntries(link, name);
    await link.run('commit');
    return [...entries].filter(([oid, { entry }]) => before?.get(oid)?.entry !== entry).map(([oid]) => oid);
  } catch (error) {
    if (!link.isBroken) await link.run('rollback');
    throw sqlState(error) === '42501' ? notAllowed(error, tables) : error;
  }
}

function notAllowed(cause: unknown, tables: string): OutsideError {
  return new OutsideError('auth', 'PUBLICATION_REFUSED', `The user may not make a publication: ${serverErrorOf(cause)?.message ?? ''}.`, {
    hint: `It needs CREATE on the database and has to own the tables. Or let an owner make one and name it in "publication": CREATE PUBLICATION syncline FOR TABLE ${tables}`,
    field: 'publication',
    cause,
  });
}

/** Also where the database is to be read only: who has moved away from it says so, and what we leave there is ours. */
export async function dropPublication(link: Link, name: string): Promise<void> {
  await link.run('set default_transaction_read_only = off');
  await link.run(`drop publication if exists ${quoteName(name)}`);
}

interface Entry {
  readonly entry: string;
  readonly parts: readonly string[];
}

/** What a publication tells at a moment. */
export interface PublishedNow {
  /** It leaves out no kind of change. */
  readonly isWhole: boolean;
  readonly comment: string | null;
  /** By the number of the table. */
  readonly entries: ReadonlyMap<string, Entry>;
}

const NOW = `
  select p.pubname as name, (pubinsert and pubupdate and pubdelete and pubtruncate)::text as whole, obj_description(p.oid, 'pg_publication') as comment,
    (select json_agg(json_build_array(e.prrelid::text, e.oid::text,
        (select json_agg(t.relid::oid::text order by t.relid::oid) from pg_catalog.pg_partition_tree(e.prrelid) t where t.isleaf and t.parentrelid is not null)) order by e.prrelid)
      from pg_catalog.pg_publication_rel e where e.prpubid = p.oid)::text as entries
  from pg_catalog.pg_publication p where p.pubname = any(array(select json_array_elements_text($1::json)))`;

/** Publications by their names, those that are there. */
export async function publishedNow(link: Link, names: readonly string[]): Promise<Map<string, PublishedNow>> {
  const rows = await link.query(NOW, [JSON.stringify(names)]);
  return new Map(
    rows.map(({ name, whole, comment, entries }) => {
      const list = JSON.parse(entries ?? '[]') as [string, string, string[] | null][];
      const byTable = new Map(list.map(([relation, entry, parts]) => [relation, { entry, parts: parts ?? [] }]));
      return [name ?? '', { isWhole: whole === 'true', comment: comment ?? null, entries: byTable }];
    }),
  );
}

const NOTE = 'Syncline follows changes by this. Do not change it, or the streams are loaded anew.';

/** Writes down what is in the publication now. */
async function noteEntries(link: Link, name: string): Promise<ReadonlyMap<string, Entry>> {
  const entries = (await publishedNow(link, [name])).get(name)?.entries ?? new Map<string, Entry>();
  const list = [...entries].map(([relation, { entry, parts }]) => `${relation}=${entry}${parts.map((part) => `+${part}`).join('')}`);
  await link.run(`comment on publication ${quoteName(name)} is ${quoteText(`${NOTE} [${list.join(' ')}]`)}`);
  return entries;
}

/** What was written down, or undefined when it is not our note. */
export function notedEntries(comment: string | null): Map<string, Entry> | undefined {
  const [, list] = /\[([\d=+ ]*)\]$/.exec(comment ?? '') ?? [];
  if (list === undefined) return undefined;
  return new Map(
    list
      .split(' ')
      .filter((one) => one !== '')
      .map((one): [string, Entry] => {
        const [relation = '', rest = ''] = one.split('=');
        const [entry = '', ...parts] = rest.split('+');
        return [relation, { entry, parts }];
      }),
  );
}

/** Whether everything is told that has to be. Throws a gap when something was not, at least for some time. */
export async function demandPublished(
  link: Link,
  publication: Publication,
  followed: readonly PublishedStream[],
): Promise<{ hasNewParts: boolean }> {
  const now = (await publishedNow(link, [publication.name])).get(publication.name);
  const found = demandEntries(publication, now, followed);
  if (!publication.isOurs) await demandTold(link, publication.name, followed);
  return found;
}

/** The same as far as it can be said of what is known. Of one that we have not made that is not all. */
export function demandEntries(
  publication: Publication,
  now: PublishedNow | undefined,
  followed: readonly PublishedStream[],
): { hasNewParts: boolean } {
  const all = followed.map(({ stream }) => stream.stream);
  if (!now) throw publicationChanged(publication.name, 'it is not there any more.', all);
  if (!now.isWhole) throw publicationChanged(publication.name, 'it leaves out inserts, updates, deletes or truncates.', all);
  if (!publication.isOurs) return { hasNewParts: false };
  const { entries } = now;
  const noted = notedEntries(now.comment);
  if (!noted) throw publicationChanged(publication.name, 'it was made anew.', all);
  const changed = followed.filter(
    ({ relation: { oid } }) => entries.get(oid)?.entry === undefined || entries.get(oid)?.entry !== noted.get(oid)?.entry,
  );
  if (changed.length > 0)
    throw publicationChanged(publication.name, `${named(changed)} was taken out of it, or made anew.`, namesOf(changed));
  // What was in a part that is gone is gone without a word in the log.
  const shrunk = followed.filter(({ relation: { oid } }) => noted.get(oid)?.parts.some((part) => !entries.get(oid)?.parts.includes(part)));
  if (shrunk.length > 0)
    throw publicationChanged(
      publication.name,
      `a partition of ${named(shrunk)} was dropped or detached, which the log does not tell.`,
      namesOf(shrunk),
    );
  return {
    hasNewParts: followed.some(({ relation: { oid } }) => (entries.get(oid)?.parts.length ?? 0) > (noted.get(oid)?.parts.length ?? 0)),
  };
}

/** Writes down parts that have come since. Not when some are gone: that has to be found first. */
export async function noteNewParts(link: Link, name: string): Promise<void> {
  await link.run('begin isolation level repeatable read');
  const now = (await publishedNow(link, [name])).get(name);
  const noted = notedEntries(now?.comment ?? null) ?? new Map<string, Entry>();
  const entries = now?.entries ?? new Map<string, Entry>();
  const isWhole = [...noted].every(([oid, { entry, parts }]) => {
    const now = entries.get(oid);
    return now?.entry === entry && parts.every((part) => now.parts.includes(part));
  });
  const hasMore = [...noted].some(([oid, { parts }]) => (entries.get(oid)?.parts.length ?? 0) > parts.length);
  if (isWhole && hasMore) await noteEntries(link, name);
  await link.run('commit');
}

const namesOf = (followed: readonly PublishedStream[]): string[] => followed.map(({ stream }) => stream.stream);
const named = (followed: readonly PublishedStream[]): string =>
  namesOf(followed)
    .map((name) => `"${name}"`)
    .join(', ');

// Newer servers tell more: by way of JSON, what is missing is null. A partitioned table is there itself, or by all of its parts.
const TOLD = `
  with told as (select c.oid, to_jsonb(t)->>'rowfilter' as filter, to_jsonb(t)->'attnames' as columns
    from pg_catalog.pg_publication_tables t join pg_catalog.pg_namespace n on n.nspname = t.schemaname join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
    where t.pubname = $1)
  select w.oid, (exists (select from told where told.oid = w.oid::oid)
      or (select bool_and(exists (select from told where told.oid = p.relid)) from pg_catalog.pg_partition_tree(w.oid::oid::regclass) p where p.isleaf))::text as is_told,
    (select string_agg(told.filter, ', ') from told where told.oid in (select p.relid from pg_catalog.pg_partition_tree(w.oid::oid::regclass) p union select w.oid::oid)) as filter,
    (select told.columns::text from told where told.oid = w.oid::oid) as columns
  from json_array_elements_text($2::json) w(oid)`;

/** Whether a publication that someone else has made tells what is wanted. */
async function demandTold(link: Link, name: string, followed: readonly PublishedStream[]): Promise<void> {
  const rows = await link.query(TOLD, [name, JSON.stringify(followed.map(({ relation }) => relation.oid))]);
  const of = new Map(rows.map((row) => [row['oid'] ?? '', row]));
  const missing = followed.filter(({ relation }) => of.get(relation.oid)?.['is_told'] !== 'true');
  if (missing.length > 0) throw publicationChanged(name, `${named(missing)} is not in it.`, namesOf(missing));
  const filtered = followed.filter(({ relation }) => of.get(relation.oid)?.['filter'] != null);
  if (filtered.length > 0) throw publicationChanged(name, `it leaves out rows of ${named(filtered)} (WHERE).`, namesOf(filtered));
  for (const { stream, relation } of followed) {
    const columns = of.get(relation.oid)?.['columns'];
    if (columns == null) continue;
    const told = new Set(JSON.parse(columns) as string[]);
    const lacking = stream.fields.filter(
      (field) => !told.has(field) && relation.columns.some((column) => column.name === field && column.generated !== 'stored'),
    );
    if (lacking.length > 0) throw publicationChanged(name, `it leaves out ${lacking.join(', ')} of "${stream.stream}".`, [stream.stream]);
  }
}

/** The same before anything is held: then nothing is lost, but someone has to change it. */
export async function demandFit(link: Link, publication: Publication, followed: readonly PublishedStream[]): Promise<void> {
  await demandPublished(link, publication, followed).catch((error: unknown) => {
    if (!(error instanceof OutsideError) || error.kind !== 'gap') throw error;
    throw new OutsideError('config', 'PUBLICATION_UNFIT', error.message.replace('was changed', 'does not fit'), {
      field: 'publication',
      hint: `Change it (ALTER PUBLICATION ${quoteName(publication.name)} …), or leave "publication" empty, so that Syncline makes one.`,
    });
  });
}
