/** Names that a system cannot have: longer than this, or with the pattern in it. */
export interface NameRule {
  /** In UTF-8. */
  readonly maxBytes?: number;
  readonly maxCharacters?: number;
  /** A regular expression with the flag `u`. */
  readonly pattern?: string;
  /** A name with the pattern in it: the conformance suite tries whether the system really cannot have it. Without one, the rule is our own. */
  readonly example?: string;
  /** Plain words. `{name}` stands for the name, and `{size}` for how large it is. */
  readonly why: string;
}

/**
 * How a system calls its streams and their fields, as data. What is left out: any name will do, and upper and lower case tell names apart.
 */
export interface Naming {
  /** Upper and lower case are the same name. */
  readonly foldsCase?: true;
  /** Streams are called `schema.table`; a part with dots or quotes in it stands in double quotes. */
  readonly schemas?: {
    /** Where tables without a schema are: in the first one that this member of the configuration names, or else in the default. */
    readonly member: string;
    readonly default: string;
    readonly rules: readonly NameRule[];
  };
  /** Of streams that are made; where there are schemas, of the table's own name. */
  readonly streams?: readonly NameRule[];
  /** Of fields that are added. */
  readonly fields?: readonly NameRule[];
  /** What is replaced in the name of another system's stream, so that a stream can be called so here. Patterns as in a rule. */
  readonly replaces?: readonly { readonly pattern: string; readonly by: string }[];
  /** Values of a member of the configuration that are the system's own, in lower case: there nothing is made. */
  readonly closed?: { readonly member: string; readonly values: readonly string[] };
}

/** Of tables and files of any system. */
export const PLAIN_NAME: readonly NameRule[] = [
  { pattern: '^$', why: 'a name is not empty' },
  {
    pattern: String.raw`\0|\p{Surrogate}`,
    example: 'a\0b',
    why: 'a name has no NUL character, and no half of a surrogate pair',
  },
];

/** Why a name cannot be: what the first rule says that is against it. */
export function ruleFault(name: string, rules: readonly NameRule[]): string | undefined {
  const broken = rules.find(
    ({ maxBytes, maxCharacters, pattern }) =>
      (maxBytes !== undefined && Buffer.byteLength(name) > maxBytes) ||
      (maxCharacters !== undefined && name.length > maxCharacters) ||
      (pattern !== undefined && new RegExp(pattern, 'u').test(name)),
  );
  if (!broken) return undefined;
  const size = broken.maxBytes === undefined ? name.length : Buffer.byteLength(name);
  return broken.why.replaceAll(/\{(name|size)\}/g, (_, what) => (what === 'name' ? shownName(name) : String(size)));
}

// A name may be as long as a page.
const MOST_SHOWN = 80;

export function shownName(name: string): string {
  return JSON.stringify(name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name);
}

/** What is the same for all spellings that a system takes for one name. */
export function foldName(name: string, { foldsCase }: Naming): string {
  return foldsCase ? name.toLowerCase() : name;
}

/** A table, and the schema that it is in where one is named. */
export interface QualifiedName {
  readonly schema: string | undefined;
  readonly table: string;
}

const PART = String.raw`(?:"((?:[^"]|"")+)"|([^".]+))`;
const QUALIFIED = new RegExp(String.raw`^${PART}(?:\.${PART})?$`, 's');

/** What `schema.table` stands for; undefined when it is no such name. */
export function partsOf(name: string): QualifiedName | undefined {
  const match = QUALIFIED.exec(name);
  if (!match) return undefined;
  const partAt = (at: number): string | undefined => match[at]?.replaceAll('""', '"') ?? match[at + 1];
  const [first = '', second] = [partAt(1), partAt(3)];
  return second === undefined ? { schema: undefined, table: first } : { schema: first, table: second };
}

/** `schema.table`. */
export function qualifiedName(schema: string, table: string): string {
  return [schema, table].map((part) => (/[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)).join('.');
}
