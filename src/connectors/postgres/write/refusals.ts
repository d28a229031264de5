import type { Reject } from '../../batch.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import { columnOf, REASONS, type ServerError, serverErrorOf } from '../wire/sql-errors.ts';
import type { PostgresTarget } from './target.ts';

/** A row that the table does not take, and what was thrown of it. */
interface Refused {
  index?: number;
  row: Record<string, unknown>;
  error: OutsideError;
}

const LONGEST_VALUE = 100;
const LONGEST_WORDS = 300;

/** The rejects of such rows, in words that name the fields and their values. Within a transaction that goes on. */
export async function rejectsOf(target: Pick<PostgresTarget, 'link' | 'relation'>, refused: readonly Refused[]): Promise<Reject[]> {
  const needsConstraints = refused.some(({ error }) => serverErrorOf(error)?.constraint !== undefined);
  const constraints = needsConstraints ? await columnsOfConstraints(target) : new Map<string, string[]>();
  return refused.map(({ error, ...rest }) => ({ ...rest, ...refusalOf(error, rest.row, constraints) }));
}

function refusalOf(
  error: OutsideError,
  row: Record<string, unknown>,
  constraints: ReadonlyMap<string, string[]>,
): Pick<Reject, 'field' | 'reason'> {
  const server = serverErrorOf(error);
  const fields = fieldsOf(server, row, constraints);
  const [field] = fields;
  const isAboutOne = field !== undefined && fields.length === 1;
  const blamed = isAboutOne ? { field } : {};
  if (!server) return { ...blamed, reason: isAboutOne ? `${error.message.replace(/\.$/, '')} (field "${field}").` : error.message };
  const constraint = server.constraint ? ` (constraint "${server.constraint}")` : '';
  return { ...blamed, reason: `${subjectOf(server, fields, row)} ${reasonOf(server)}${constraint}, says PostgreSQL (${server.code}).` };
}

/** The fields that it is about: as the server says, else those of the constraint, else the one with a text that is none. */
function fieldsOf(
  server: ServerError | undefined,
  row: Record<string, unknown>,
  constraints: ReadonlyMap<string, string[]>,
): readonly string[] {
  const column = server && columnOf(server);
  if (column !== undefined) return [column];
  const named = namesOf(keyOf(server)?.names) ?? constraints.get(server?.constraint ?? '');
  if (named) return named;
  const odd = Object.keys(row).filter((name) => typeof row[name] === 'string' && !isText(row[name]));
  return server === undefined || server.code === '22021' ? odd : [];
}

function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

function subjectOf(server: ServerError, fields: readonly string[], row: Record<string, unknown>): string {
  const [field] = fields;
  if (field !== undefined && fields.length === 1) {
    const value = row[field];
    return typeof value === 'string' ? `The value ${shown(value)} of "${field}"` : `The value of "${field}"`;
  }
  if (field !== undefined) return `The row with ${fields.map((name) => `"${name}" = ${shown(row[name])}`).join(', ')}`;
  const key = keyOf(server);
  return key ? `The row with ${key.names} = ${shown(key.values)}` : 'The row';
}

function reasonOf({ code, detail, message }: ServerError): string {
  const [, isReferred, other] = /(?:is (still referenced) from|is not present in) table "(.*)"\.$/.exec(detail ?? '') ?? [];
  if (code === '23503' && other !== undefined)
    return isReferred ? `is still referred to by "${other}"` : `refers to a row that is not there in "${other}"`;
  return REASONS[code] ?? `was refused with the words ${JSON.stringify(cut(message, LONGEST_WORDS))}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(cut(value, LONGEST_VALUE)) : 'null';
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/** `Key (a, b)=(1, 2) already exists.`; instead of columns there may be expressions. */
function keyOf(server: ServerError | undefined): { names: string; values: string } | undefined {
  const [, names, values] = /^Key \((.+?)\)=\((.*)\) (?:already|is|conflicts)/s.exec(server?.detail ?? '') ?? [];
  return names === undefined || values === undefined ? undefined : { names, values };
}

const NAME = '(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_]*)';
const NAMES = new RegExp(`^${NAME}(?:, ${NAME})*$`);

/** The columns that are named, when all are columns. */
function namesOf(names: string | undefined): string[] | undefined {
  if (names === undefined || !NAMES.test(names)) return undefined;
  return (names.match(new RegExp(NAME, 'g')) ?? []).map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'));
}

async function columnsOfConstraints({ link, relation }: Pick<PostgresTarget, 'link' | 'relation'>): Promise<Map<string, string[]>> {
  const rows = await link.query<{ name: string; columns: string }>(
    `select c.conname as name, json_agg(a.attname order by k.place)::text as columns
     from pg_catalog.pg_constraint c cross join unnest(c.conkey) with ordinality k(number, place)
       join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
     where c.conrelid = $1::oid or c.conrelid in (select relid from pg_catalog.pg_partition_tree($1::oid::regclass))
     group by c.oid, c.conname`,
    [relation.oid],
  );
  return new Map(rows.map(({ name, columns }) => [name, JSON.parse(columns) as string[]]));
}
