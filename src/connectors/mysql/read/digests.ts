import { randomUUID } from 'node:crypto';
import type { CanonicalType } from '../../canonical.ts';
import type { Context } from '../../contract.ts';
import type { CutRequest, DigestField, Digesting, DigestRequest, DigestRows, StretchDigest } from '../../digests.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { demandTable, type MysqlTable } from '../catalogue/discover.ts';
import { literal, quote } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import type { Wire } from '../wire/connection.ts';
import { columnOf, conditionOf } from './plan.ts';

const DIGEST_BYTES = 32;
/** The digests of so many rows can be together in one. */
const MOST_ROWS = 32_768;

const INTEGERS = ['tinyint', 'smallint', 'mediumint', 'int', 'bigint'];
/** The server's own types that it spells just as they are digested. Others, such as `double`, whose digits it chooses itself, it does not digest. */
const DATA_TYPES: Readonly<Partial<Record<CanonicalType, readonly string[]>>> = {
  text: ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext'],
  int64: INTEGERS,
  decimal: ['decimal', 'bigint'],
  boolean: ['tinyint'],
  date: ['date'],
  timestamp: ['datetime'],
  timestamptz: ['datetime', 'timestamp'],
  uuid: ['uuid', 'char'],
  binary: ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'],
};

export function digesting(config: MysqlConfig, context: Context): Digesting {
  const ask = async <Answer>(
    request: DigestRows,
    work: (wire: Wire, table: MysqlTable) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    const wire = await connect(config, context, { mode: 'read', signal: request.signal });
    try {
      const table = await demandTable(wire, config, request.stream);
      return canDigest(table, request) ? await work(wire, table) : undefined;
    } finally {
      wire.end();
    }
  };
  return {
    cuts: (request) => ask(request, (wire, table) => cutsOf(wire, table, request)),
    digest: (request) => ask(request, (wire, table) => digestsOf(wire, table, request)),
  };
}

/** Types of keys, behind the first one, that are ordered as elsewhere. */
const ORDERED: ReadonlySet<CanonicalType | undefined> = new Set(['int64', 'text', 'date', 'timestamp', 'timestamptz']);

/** Keys are cut by a function that knows whole numbers only. */
function canDigest(table: MysqlTable, { fields, key }: DigestRows): boolean {
  const isSpelled = ({ name, type }: DigestField): boolean => {
    const { field, dataType } = columnOf(table, name);
    return field.type === type && DATA_TYPES[type]?.includes(dataType) === true;
  };
  const isUnique = table.uniqueKeys.some((unique) => unique.toSorted().join() === key.toSorted().join());
  const [first, ...others] = key.map((name) => fields.find((field) => field.name === name)?.type);
  return fields.every(isSpelled) && isUnique && first === 'int64' && others.every((type) => ORDERED.has(type));
}

async function cutsOf(wire: Wire, table: MysqlTable, request: CutRequest): Promise<readonly string[]> {
  const key = quote(request.key[0]);
  const rows = await wire.rows(
    `select k from (select k, row_number() over (order by k) as n
       from (select ${key} as k from ${quote(table.name)}${whereOf(table, request)} order by ${key} limit ${request.rows * request.most + 1}) asked) numbered
     where n > 1 and (n - 1) % ${request.rows} = 0 order by n`,
  );
  return rows.map(([cut]) => cut ?? '');
}

async function digestsOf(wire: Wire, table: MysqlTable, request: DigestRequest): Promise<readonly StretchDigest[]> {
  const stretch = request.cuts.length === 0 ? '0' : `interval(${[quote(request.key[0]), ...request.cuts].join(', ')})`;
  const isText = (name: string): boolean => request.fields.some((field) => field.name === name && field.type === 'text');
  const order = request.key.map((name) => (isText(name) ? bytesOf(quote(name)) : quote(name))).join(', ');
  const values = request.fields.map(({ name, type }) => spelled(columnOf(table, name), type)).join(', ');
  // A row without a digest is like no other.
  const row = `coalesce(unhex(sha2(concat(${values}), 256)), cast(rand() as binary))`;
  await wire.run(`set session group_concat_max_len = ${MOST_ROWS * DIGEST_BYTES}`);
  const rows = await wire.rows(
    `select ${stretch} as stretch, count(*), sha2(group_concat(${row} order by ${order} separator ''), 256)
     from ${quote(table.name)}${whereOf(table, request)} group by stretch`,
  );
  const found = new Map(rows.map(([at, count, digest]) => [Number(at), digestFound(Number(count), digest ?? '')]));
  return Array.from({ length: request.cuts.length + 1 }, (_, at) => found.get(at) ?? { rows: 0, digest: '' });
}

/** The server cuts off what is too long: then nobody has the same digest. */
function digestFound(rows: number, digest: string): StretchDigest {
  return { rows, digest: rows > MOST_ROWS ? randomUUID() : digest };
}

function whereOf(table: MysqlTable, { key: [key], from, filters, ...more }: DigestRows & { below?: string | undefined }): string {
  const bound = (op: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${quote(key)} ${op} ${literal('int64', value, `"${key}"`)}`];
  const conditions = [
    ...bound('>=', from),
    ...bound('<', more.below),
    ...filters.map((filter) => conditionOf(columnOf(table, filter.field), filter)),
  ];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

/**
 * A value as `digestText` spells it, as bytes: so nothing is made of letters when they are joined. A value that is too large for the server to work on becomes
 * null, and so does its whole row.
 */
function spelled(column: TypedColumn, type: CanonicalType): string {
  const name = quote(column.name);
  const text = bytesOf(name);
  const withLength = `concat(length(${text}), ':', ${text})`;
  // A column of letters may hold anything.
  const plain = type === 'uuid' ? `if(${name} regexp '^[0-9a-f-]{36}$', ${text}, ${withLength})` : plainText(column, name, type);
  return `if(${name} is null, '~;', ${type === 'text' ? withLength : `concat(${plain}, ';')`})`;
}

/** A text as UTF-8, which is compared and sorted by its bytes. */
function bytesOf(name: string): string {
  return `cast(convert(${name} using utf8mb4) as binary)`;
}

function plainText({ field, columnType }: TypedColumn, name: string, type: CanonicalType): string {
  const shortened = (text: string): string => `trim(trailing '.' from trim(trailing '0' from ${text}))`;
  const hasFraction = /\([1-6]\)/.test(columnType);
  switch (type) {
    case 'int64':
      // Not the zeros that some columns are shown with.
      return `${name} + 0`;
    case 'decimal':
      return (field.scale ?? 1) > 0 ? shortened(`${name} + 0`) : `${name} + 0`;
    case 'boolean':
      return `case ${name} when 1 then 't' when 0 then 'f' else concat('?', ${name}) end`;
    case 'timestamp':
      return hasFraction ? shortened(name) : name;
    case 'timestamptz':
      return `concat(${hasFraction ? shortened(name) : name}, '+00')`;
    case 'binary':
      return `concat(x'5c', 'x', lower(hex(${name})))`;
    default:
      return name;
  }
}
