import { isKept, OWN_SCHEMA } from '../../connectors/own-tables.ts';
import type { FieldMapping } from '../definition.ts';
import { type Facts, listed, type PlanFault } from './end-view.ts';
import { partsOf } from './stream-names.ts';

const POSTGRES_BYTES = 63;
const MYSQL_CHARACTERS = 64;
// Room is left for the endings.
const FILE_BYTES = 230;

const KEEPS_TABLES: ReadonlySet<string> = new Set(['postgres', 'mysql', 'sqlite']);
const POSTGRES_SCHEMAS = /^(pg_.*|information_schema)$/s;
// Every table of PostgreSQL has these already.
const POSTGRES_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'xmax', 'cmin', 'cmax', 'ctid']);

/** Why a stream cannot be read: what Syncline keeps for itself in a database is no data. */
export function ownStreamFault(name: string, type: string): string | undefined {
  const { schema, table } = (type === 'postgres' ? partsOf(name) : undefined) ?? { table: name, schema: undefined };
  return KEEPS_TABLES.has(type) && (isKept(table) || schema === OWN_SCHEMA) ? ownTableFault(name) : undefined;
}

export function ownTableFault(name: string): string {
  return `is one of Syncline's own tables, or shows what is in one: "${name}". Choose another`;
}

/** Why a stream of this name cannot be made in a system; undefined when it can. */
export function streamNameFault(name: string, type: string): string | undefined {
  const own = ownStreamFault(name, type);
  if (own !== undefined) return own;
  const why = STREAM_RULES[type]?.(name);
  return why === undefined ? undefined : `cannot be ${shown(name)}: ${why}`;
}

const STREAM_RULES: Readonly<Record<string, (name: string) => string | undefined>> = {
  postgres: (name) => {
    const parts = partsOf(name);
    if (!parts) return 'write schema.table; a part with dots or quotes in it stands in double quotes';
    const { schema, table } = parts;
    if (schema !== undefined && POSTGRES_SCHEMAS.test(schema)) return `the schema "${schema}" belongs to PostgreSQL`;
    return [schema ?? table, table].map(postgresFault).find((fault) => fault !== undefined);
  },
  mysql: mysqlFault,
  sqlite: (name) => (/^sqlite_/i.test(name) ? 'names that begin with sqlite_ belong to SQLite' : characterFault(name)),
  files: (name) => {
    if (name.startsWith('.')) return 'a file that begins with a dot is hidden';
    if (name.includes('/')) return 'a slash would be a folder';
    return Buffer.byteLength(name) > FILE_BYTES ? `a file can have a name of ${FILE_BYTES} bytes at most` : characterFault(name);
  },
};

const FIELD_RULES: Readonly<Record<string, (name: string) => string | undefined>> = {
  postgres: (name) => (POSTGRES_COLUMNS.has(name) ? 'every table of PostgreSQL has a hidden column of that name' : postgresFault(name)),
  mysql: mysqlFault,
  sqlite: characterFault,
};

function postgresFault(name: string): string | undefined {
  const isLong = Buffer.byteLength(name) > POSTGRES_BYTES;
  return isLong
    ? `PostgreSQL allows names of ${POSTGRES_BYTES} bytes, and ${shown(name)} has ${Buffer.byteLength(name)}`
    : characterFault(name);
}

function mysqlFault(name: string): string | undefined {
  if (name.length > MYSQL_CHARACTERS) return `MySQL allows names of ${MYSQL_CHARACTERS} characters, and this one has ${name.length}`;
  return /[\u{10000}-\u{10ffff}]|\s$/u.test(name)
    ? 'in MySQL a name does not end with a space, and has no signs beyond the Basic Multilingual Plane'
    : characterFault(name);
}

function characterFault(name: string): string | undefined {
  if (name === '') return 'a name is not empty';
  return name.includes('\0') || !name.isWellFormed() ? 'a name has no NUL character, and no half of a surrogate pair' : undefined;
}

// A name may be as long as a page.
const MOST_SHOWN = 80;

function shown(name: string): string {
  return JSON.stringify(name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name);
}

/** Names of new columns that the target cannot have. `hasColumn`: it is there already, so it can. */
export function fieldNameFaults(
  { definition, target }: Facts,
  mappings: readonly FieldMapping[],
  hasColumn: (name: string) => boolean,
): PlanFault[] {
  const rule = FIELD_RULES[target.type];
  return mappings.flatMap((mapping, at): PlanFault[] => {
    const why = hasColumn(mapping.to) ? undefined : rule?.(mapping.to);
    if (why === undefined) return [];
    if (definition.fields) return [{ member: `fields[${at}].to`, reason: `cannot be ${shown(mapping.to)}: ${why}` }];
    const advice = `Write them out, this one as {"from": ${shown(mapping.to)}, "to": "another_name"}`;
    return [{ member: 'fields', reason: `cannot be left out: ${shown(mapping.to)} needs another name, as ${why}. ${advice}` }];
  });
}

/** Fields that the target does not take, and those that it cannot do without. */
export function takenFieldFaults({ definition, target }: Facts, mappings: readonly FieldMapping[]): PlanFault[] {
  const { stream } = target;
  const { fields: taken, needs = [] } = stream?.takes ?? {};
  if (!stream) return [];
  const strange = mappings.map(({ to }, at) => ({ to, at })).filter(({ to }) => taken !== undefined && !taken.includes(to));
  const missing = needs.filter((name) => !mappings.some(({ to }) => to === name));
  const faults = missing.map((name) => ({ member: 'fields', reason: `must write "${name}": "${stream.name}" takes nothing without it` }));
  if (strange.length === 0 || !taken) return faults;
  const takes = `"${stream.name}" takes ${listed(taken)}`;
  const isMade = (name: string): boolean => stream.fields.some((field) => field.name === name);
  if (definition.fields) {
    const why = (name: string): string => (isMade(name) ? `it is made there and cannot be written; ${takes}. Leave it out` : takes);
    return [...faults, ...strange.map(({ to, at }) => ({ member: `fields[${at}].to`, reason: `cannot be ${shown(to)}: ${why(to)}` }))];
  }
  const made = strange.filter(({ to }) => isMade(to)).map(({ to }) => to);
  const unknown = strange.filter(({ to }) => !isMade(to)).map(({ to }) => to);
  const why = [
    ...(unknown.length > 0 ? [`the target does not know ${listed(unknown)}`] : []),
    ...(made.length > 0 ? [`the target makes ${listed(made)} itself`] : []),
  ].join(', and ');
  return [
    {
      member: 'fields',
      reason: `cannot be left out: ${why}; ${takes}. Write those that are meant, such as ${example(mappings, taken, needs)}`,
    },
  ];
}

// A longer example is not read.
const MOST_EXAMPLES = 8;

/** The mapping that is likely meant: what has the same name at both ends, or else how one field is written. */
function example(mappings: readonly FieldMapping[], taken: readonly string[], needs: readonly string[]): string {
  const same = mappings.map(({ to }) => to).filter((name) => taken.includes(name));
  if (same.length > 0 && same.length <= MOST_EXAMPLES && needs.every((name) => same.includes(name)))
    return JSON.stringify(same.map((name) => ({ from: name, to: name })));
  return JSON.stringify([{ from: same[0] ?? mappings[0]?.to, to: needs[0] ?? taken[0] }]);
}
