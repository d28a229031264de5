/** How names are made in a system. */
export interface Naming {
  readonly type: string;
  /** Of a database that has schemas: where tables without one go. */
  readonly schema?: string | undefined;
}

const PART = String.raw`(?:"((?:[^"]|"")+)"|([^".]+))`;
const QUALIFIED = new RegExp(String.raw`^${PART}(?:\.${PART})?$`, 's');

/** The schema and the table that a name of PostgreSQL stands for; undefined when it is no such name. */
export function partsOf(name: string): { schema: string | undefined; table: string } | undefined {
  const match = QUALIFIED.exec(name);
  if (!match) return undefined;
  const partAt = (at: number): string | undefined => match[at]?.replaceAll('""', '"') ?? match[at + 1];
  const [first = '', second] = [partAt(1), partAt(3)];
  return second === undefined ? { schema: undefined, table: first } : { schema: first, table: second };
}

function qualified(schema: string, table: string): string {
  return [schema, table].map((part) => (/[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join('.');
}

// These take upper and lower case in names for the same.
const FOLDS_NAMES: ReadonlySet<string> = new Set(['sqlite', 'mysql']);

/** What is the same for all spellings that a system takes for one name. */
export function foldName(name: string, type: string): string {
  return FOLDS_NAMES.has(type) ? name.toLowerCase() : name;
}

const DEFAULT_SCHEMA = 'public';

/** A name as discovery spells it: in PostgreSQL a table without a schema is in the first one. */
export function fullName(name: string, { type, schema = DEFAULT_SCHEMA }: Naming): string {
  if (type !== 'postgres') return name;
  const parts = partsOf(name);
  return parts ? qualified(parts.schema ?? schema, parts.table) : name;
}

/** How a stream of the source is called at the target, when nobody says otherwise: the same, as far as the target can. */
export function defaultTarget(source: string, from: Naming, to: Naming): string {
  const parts = from.type === 'postgres' ? partsOf(source) : undefined;
  const table = parts?.table ?? source;
  if (to.type === 'postgres') return qualified(parts?.schema ?? to.schema ?? DEFAULT_SCHEMA, table);
  // A slash would be a folder, and a file that begins with a dot is hidden.
  if (to.type === 'files') return table.replaceAll('/', '_').replace(/^\.+/, '');
  return table;
}
