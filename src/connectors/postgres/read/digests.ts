import type { CanonicalType } from '../../canonical.ts';
import {
  canCutBy,
  type CutRequest,
  type DigestField,
  type Digesting,
  type DigestRequest,
  type DigestRows,
  type StretchDigest,
} from '../../digests.ts';
import { quoteName, quoteRelation, quoteText } from '../catalogue/names.ts';
import { demandStream, type PostgresColumn, type Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { columnOf, constant, filterConditions } from './conditions.ts';

/** A function takes no more than a hundred arguments. */
const MOST_ARGUMENTS = 90;
/** The first that takes the zeros from the end of a number. */
const NEEDED_VERSION = 130_000;

/** PostgreSQL's own types that it spells just as they are digested. Others, such as `char(20)`, which loses its spaces, it does not digest. */
const BASES: Readonly<Partial<Record<CanonicalType, readonly string[]>>> = {
  text: ['text', 'varchar'],
  int64: ['int2', 'int4', 'int8'],
  decimal: ['numeric'],
  float64: ['float8'],
  boolean: ['bool'],
  date: ['date'],
  time: ['time'],
  timestamp: ['timestamp'],
  timestamptz: ['timestamptz'],
  uuid: ['uuid'],
  binary: ['bytea'],
};

export function digesting(links: Links, schema: string): Digesting {
  const ask = <Answer>(request: DigestRows, work: (link: Link, relation: Relation) => Promise<Answer>): Promise<Answer | undefined> =>
    links.use('read', request.signal, async (link) => {
      const relation = await demandStream(link, request.stream, schema);
      return (await canDigest(link, relation, request)) ? work(link, relation) : undefined;
    });
  return {
    cuts: (request) => ask(request, (link, relation) => cutsOf(link, relation, request)),
    digest: (request) => ask(request, (link, relation) => digestsOf(link, relation, request)),
  };
}

async function canDigest(link: Link, relation: Relation, { fields, key }: DigestRows): Promise<boolean> {
  const isSpelled = ({ name, type }: DigestField): boolean => BASES[type]?.includes(columnOf(relation, name).base) === true;
  const isUnique = relation.indexes.some(({ isUnique: is, columns }) => is && columns.toSorted().join() === key.toSorted().join());
  if (!fields.every(isSpelled) || !canCutBy(key.map((name) => typeOf(fields, name))) || !isUnique) return false;
  const [server] = await link.query<{ encoding: string; version: string }>(
    `select current_setting('server_encoding') as encoding, current_setting('server_version_num') as version`,
  );
  return server?.encoding === 'UTF8' && Number(server.version) >= NEEDED_VERSION;
}

function typeOf(fields: readonly DigestField[], name: string): CanonicalType | undefined {
  return fields.find((field) => field.name === name)?.type;
}

async function cutsOf(link: Link, relation: Relation, request: CutRequest): Promise<readonly string[]> {
  const key = quoteName(request.key[0]);
  const found = await link.query<{ cut: string }>(
    `select k::text as cut from (select k, row_number() over (order by k) as n
       from (select ${key} as k from ${quoteRelation(relation)}${whereOf(relation, request)} order by ${key} limit ${request.rows * request.most + 1}) asked) numbered
     where n > 1 and (n - 1) % ${request.rows} = 0 order by n`,
  );
  return found.map(({ cut }) => cut);
}

async function digestsOf(link: Link, relation: Relation, request: DigestRequest): Promise<readonly StretchDigest[]> {
  const [first] = request.key;
  const column = columnOf(relation, first);
  const order = request.key.map((name) => `${quoteName(name)}${typeOf(request.fields, name) === 'text' ? ' collate "C"' : ''}`).join(', ');
  const stretch =
    request.cuts.length === 0
      ? '0'
      : `width_bucket(${quoteName(first)}, ${quoteText(`{${request.cuts.map((cut) => `"${cut}"`).join(',')}}`)}::${column.cast}[])`;
  const rows = await link.query<{ stretch: string; rows: string; digest: string }>(
    `select ${stretch}::text as stretch, count(*)::text as rows,
       encode(sha256(string_agg(sha256(convert_to(${rowText(relation, request.fields)}, 'UTF8')), ''::bytea order by ${order})), 'hex') as digest
     from ${quoteRelation(relation)}${whereOf(relation, request)} group by 1`,
  );
  const found = new Map(rows.map((row) => [Number(row.stretch), { rows: Number(row.rows), digest: row.digest }]));
  return Array.from({ length: request.cuts.length + 1 }, (_, at) => found.get(at) ?? { rows: 0, digest: '' });
}

function whereOf(relation: Relation, { key: [key], from, filters, ...more }: DigestRows & { below?: string | undefined }): string {
  const column = columnOf(relation, key);
  const bounds = [
    ...(from === undefined ? [] : [`${quoteName(key)} >= ${constant(column, from)}`]),
    ...(more.below === undefined ? [] : [`${quoteName(key)} < ${constant(column, more.below)}`]),
  ];
  const conditions = [...bounds, ...filterConditions(relation, filters)];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

/** All values of a row, as `digestText` spells them. */
function rowText(relation: Relation, fields: readonly DigestField[]): string {
  const all = fields.flatMap(({ name, type }) => partsOf(columnOf(relation, name), type));
  const groups = Array.from({ length: Math.ceil(all.length / MOST_ARGUMENTS) }, (_, at) =>
    all.slice(at * MOST_ARGUMENTS, (at + 1) * MOST_ARGUMENTS),
  );
  return groups.map((group) => `concat(${group.join(', ')})`).join(' || ');
}

/** `concat` leaves nulls out. */
function partsOf({ name, nullable }: PostgresColumn, type: CanonicalType): string[] {
  const column = quoteName(name);
  if (type === 'text') return [`octet_length(${column})`, nullable ? `case when ${column} is null then '~;' else ':' end` : `':'`, column];
  const value = spelled(column, type);
  return [nullable ? `coalesce((${value})::text, '~')` : value, `';'`];
}

function spelled(column: string, type: CanonicalType): string {
  switch (type) {
    case 'decimal':
      return `trim_scale(${column})`;
    case 'boolean':
      return `case ${column} when true then 't' when false then 'f' end`;
    case 'float64':
      return `case when ${column} = 'NaN' then 'NaN' when ${column} = 0 then '0000000000000000' else encode(float8send(${column}), 'hex') end`;
    default:
      return column;
  }
}
