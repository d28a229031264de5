import type { Reject } from '../../batch.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { textLiteral } from '../catalogue/literals.ts';
import { RefusedRow } from '../wire/server-errors.ts';
import type { Wire } from '../wire/connection.ts';

const LONGEST_VALUE = 100;
const LONGEST_WORDS = 300;

/** The columns of each index and check of a table, by its name. */
export type Constraints = ReadonlyMap<string, readonly string[]>;

/** A row that was refused, with the names of its fields, and what was thrown of it. */
export interface Refused {
  readonly names: readonly string[];
  readonly row: Readonly<Record<string, unknown>>;
  readonly error: OutsideError;
}

/** Why it was refused, in words that name the fields and their values. */
export function refusalOf({ names, row, error }: Refused, constraints: Constraints): Pick<Reject, 'field' | 'reason'> {
  if (!(error instanceof RefusedRow)) return { reason: error.message };
  const constraint = constraintOf(error.words);
  const columns = error.column === undefined ? (constraint?.columns ?? constraints.get(constraint?.name ?? '') ?? []) : [error.column];
  const place = error.place === undefined ? undefined : names[error.place];
  const fields = place === undefined ? columns.flatMap((column) => fieldOf(column, names) ?? []) : [place];
  const [field] = fields;
  const values = fields.map((name) => `"${name}" = ${shown(row[name])}`).join(', ');
  const subject = fields.length === 0 ? '' : `Field${fields.length > 1 ? 's' : ''} ${values}: `;
  const rule = constraint ? ` (constraint "${constraint.name}")` : '';
  const words =
    error.words !== '' && (constraint || fields.length === 0)
      ? ` The server says: ${JSON.stringify(cut(error.words, LONGEST_WORDS))}.`
      : '';
  return { ...(field !== undefined && fields.length === 1 && { field }), reason: `${subject}${error.fault}${rule}.${words}` };
}

/** Whether the names of constraints are needed to tell of it. */
export function needsConstraints(error: OutsideError): boolean {
  return error instanceof RefusedRow && constraintOf(error.words) !== undefined;
}

export async function constraintsOf(wire: Wire, table: string): Promise<Constraints> {
  const found = new Map<string, string[]>();
  const own = `table_schema = database() and table_name = ${textLiteral(table)}`;
  for (const [index, column] of await wire.rows(
    `select index_name, column_name from information_schema.statistics where ${own} order by index_name, seq_in_index`,
  ))
    if (column != null) found.set(index ?? '', [...(found.get(index ?? '') ?? []), column]);
  const checks = wire.isMariaDb
    ? `select constraint_name, check_clause from information_schema.check_constraints where constraint_schema = database() and table_name = ${textLiteral(table)}`
    : `select c.constraint_name, c.check_clause from information_schema.check_constraints c join information_schema.table_constraints t
         using (constraint_schema, constraint_name) where t.${own}`;
  // Servers that have no checks have no list of them.
  for (const [name, clause] of await wire.rows(checks).catch(() => [])) found.set(name ?? '', [...new Set(quotedNames(clause ?? ''))]);
  return found;
}

/** What the stage of a mirror refuses in the place of its table: a null, or a text that is no JSON. */
export function stageFault(columns: readonly TypedColumn[], names: readonly string[], row: Refused['row']): RefusedRow | undefined {
  const at = (test: (column: TypedColumn, value: unknown) => boolean): number =>
    columns.findIndex((column, i) => test(column, row[names[i] as string]));
  const empty = at(({ nullable }, value) => !nullable && value === null);
  if (empty !== -1) return new RefusedRow('NULL_REFUSED', 'the column does not take null', { place: empty });
  const odd = at(({ isJson }, value) => isJson && typeof value === 'string' && !isJsonText(value));
  return odd === -1 ? undefined : new RefusedRow('BAD_JSON', 'the value is not valid JSON', { place: odd });
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The constraint that the server names, and its columns where it names them too. */
function constraintOf(words: string): { name: string; columns?: string[] } | undefined {
  const [, foreign, columns = ''] = /CONSTRAINT (`(?:[^`]|``)+`) FOREIGN KEY \((.*?)\) REFERENCES/.exec(words) ?? [];
  if (foreign !== undefined) return { name: quotedNames(foreign)[0] ?? '', columns: quotedNames(columns) };
  const [, check] = /^CONSTRAINT (`(?:[^`]|``)+`) failed/.exec(words) ?? [];
  const name = check === undefined ? /(?: for key|^Check constraint) '(.+)'(?: is violated\.?)?$/s.exec(words)?.[1] : quotedNames(check)[0];
  // A server may write the table in front.
  return name === undefined ? undefined : { name: name.slice(name.indexOf('.') + 1) };
}

function quotedNames(text: string): string[] {
  return (text.match(/`(?:[^`]|``)+`/g) ?? []).map((name) => name.slice(1, -1).replaceAll('``', '`'));
}

function fieldOf(column: string, names: readonly string[]): string | undefined {
  return names.find((name) => name.toLowerCase() === column.toLowerCase());
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(cut(value, LONGEST_VALUE)) : 'null';
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
