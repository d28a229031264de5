import type { Field } from '../../contract.ts';
import { DELETED_AT } from '../../marks.ts';
import { LANGUAGE } from '../manifest.ts';
import { nameAt, planOf, type StructurePlan } from '../../sql-target/structure/plan.ts';
import type { PlainColumn, PlainDefault, StructuredStream } from '../../structure.ts';
import { quote } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';
import { type ColumnExtras, commentLiteral, definition, exactCollation, markDefinition } from '../write/column-definition.ts';
import type { MysqlStructure } from './described.ts';
import { markOption } from './marks.ts';
import { computingOf, type MysqlTableText, says, withNames, without } from './table-text.ts';

/** What the source has in the words of this system; undefined when it is another. */
export function ownOf({ described }: StructuredStream): MysqlTableText | undefined {
  return described?.language === LANGUAGE ? (described.own as MysqlStructure).text : undefined;
}

interface Wanted {
  readonly stream: string;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly marks: boolean;
  readonly structured: StructuredStream;
}

/** The statement that makes a table as that of the source is, but for what is made when it is loaded: to alter a column later would write all rows anew. */
export function structuredCreation(wire: Wire, wanted: Wanted): { statement: string; marked: (said: string) => string } {
  const { structured, fields, marks } = wanted;
  const own = ownOf(structured);
  const marked = (said: string): string => markOption('structure', structured.owner, said);
  const parts = own ? ownParts(wire, wanted, own) : plainParts(wire, wanted);
  if (marks && !fields.some((field) => field.name === DELETED_AT)) parts.splice(fields.length, 0, markDefinition());
  const options = own
    ? own.options.replace(/^ENGINE=\w+/, 'ENGINE=InnoDB')
    : `engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`;
  // Partitions are told behind all other options.
  const [before = '', ...partitions] = options.split(/(?=\s(?:\/\*!\d+ )?PARTITION BY )/);
  return {
    statement: `create table if not exists ${quote(wanted.stream)} (${parts.join(', ')}) ${before} ${marked('')}${partitions.join('')}`,
    marked,
  };
}

function ownParts(wire: Wire, { fields, key, structured }: Wanted, own: MysqlTableText): string[] {
  const names = namesOf(structured, own);
  const primary = own.primary && withNames(own.primary.text, names);
  const isKept = primary !== undefined && 'text' in primary;
  const columns = fields.map((field) => {
    const column = own.columns.find(({ name }) => nameAt(structured, name) === field.name);
    if (!column) return definition(wire, field, isKept ? [] : key, fields);
    const plain = asPlain(column.text, field.name, names);
    return isNumberedFirst(own, column.name) && isKept ? plain : without(plain, AUTO);
  });
  if (isKept) return [...columns, primary.text];
  return key.length > 0 ? [...columns, `primary key (${key.map(quote).join(', ')})`] : columns;
}

const AUTO = / AUTO_INCREMENT\b/;

export function namesOf(stream: StructuredStream, own: MysqlTableText): ReadonlyMap<string, string | undefined> {
  return new Map(own.columns.map(({ name }) => [name.toLowerCase(), nameAt(stream, name)]));
}

/** A column under its name at the target, and one that holds what is read where the source computes it. */
export function asPlain(text: string, name: string, names: ReadonlyMap<string, string | undefined>): string {
  const rest = text.replace(/^`(?:[^`]|``)*`/, '');
  const computing = computingOf(rest);
  const made = computing === undefined ? rest : rest.replace(computing, () => '');
  const check = checkOf(made);
  const renamed = check === undefined ? undefined : withNames(check, names);
  // A check of a column may speak of the column alone.
  const checked = check === undefined ? made : made.replace(check, () => (renamed && 'text' in renamed ? renamed.text : ''));
  return `${quote(name)}${checked}`;
}

export function checkOf(column: string): string | undefined {
  const place = without(column, / CHECK \([\s\S]*$/).length;
  return place < column.length && says(column, / CHECK \(/) ? column.slice(place) : undefined;
}

/** Whether the server gives the numbers of this column, and the key begins with it: elsewhere it needs an index first. */
function isNumberedFirst({ columns, primary }: MysqlTableText, name: string): boolean {
  const column = columns.find((each) => each.name === name);
  return column !== undefined && says(column.text, AUTO) && (primary?.text.startsWith(`PRIMARY KEY (${quote(name)}`) ?? false);
}

/** Columns that get their numbers when the index is there that they need for that. */
export function numberedLater(own: MysqlTableText): readonly string[] {
  return own.columns.filter(({ name, text }) => says(text, AUTO) && !isNumberedFirst(own, name)).map(({ name }) => name);
}

function plainParts(wire: Wire, { fields, key: asked, structured }: Wanted): string[] {
  const plan = planOf(structured);
  const key = plan.key.length > 0 ? plan.key : asked;
  const columns = fields.map((field) => {
    const column = plan.columns.find(({ name }) => name === field.name);
    return definition(wire, field, key, fields, column ? extrasOf(wire, field, column, plan) : {});
  });
  return key.length > 0 ? [...columns, `primary key (${key.map(quote).join(', ')})`] : columns;
}

/** A text that is no longer than this is kept with its row. */
const LONGEST_BOUND = 1000;

function extrasOf(wire: Wire, field: Field, column: PlainColumn, plan: StructurePlan): ColumnExtras {
  const { maxLength, notNull, comment } = column;
  const bytes = indexBytes(plan, column.name);
  const isNumbered = givesNumbers(plan, column) && field.type === 'int64';
  const isLong = field.type === 'text' && bytes === undefined && (maxLength === null || maxLength > LONGEST_BOUND);
  const rest = isNumbered ? 'auto_increment' : column.default && `default ${expressionOf(wire, column.default, field, isLong)}`;
  return {
    ...(bytes !== undefined && { bytes }),
    ...(maxLength !== null && maxLength <= LONGEST_BOUND && { characters: maxLength }),
    ...(rest && { rest }),
    notNull: notNull || isNumbered,
    ...(comment !== null && { comment }),
  };
}

/** Whether the server can give the numbers of the column: it is the first of the key. */
export function givesNumbers({ key }: StructurePlan, { name, isNumbered }: PlainColumn): boolean {
  return isNumbered && key[0] === name;
}

/** An index of InnoDB has at most so many bytes. */
const INDEX_BYTES = 3072;

/** How many bytes a column may have that is compared as a whole: in a unique index, or where it refers. Elsewhere its beginning is enough for an index. */
function indexBytes({ indexes, references }: StructurePlan, name: string): number | undefined {
  const groups = [
    ...indexes.filter(({ isUnique }) => isUnique).map(({ columns }) => columns.map((column) => column.name)),
    ...references.map(({ columns }) => columns),
  ].filter((columns) => columns.includes(name));
  return groups.length === 0 ? undefined : Math.floor(INDEX_BYTES / Math.max(...groups.map((columns) => columns.length)));
}

function expressionOf(wire: Wire, value: PlainDefault, { type }: Field, isLong: boolean): string {
  switch (value.kind) {
    case 'now':
      // Such a column holds the time in UTC, whatever the time zone of who writes.
      return type === 'timestamptz' ? '(utc_timestamp(6))' : 'current_timestamp(6)';
    case 'boolean':
      return value.text === 't' ? '1' : '0';
    case 'number':
      return type === 'text' ? literal(wire, value.text, isLong) : value.text;
    default:
      return literal(wire, value.text, isLong);
  }
}

/** MySQL has defaults of long texts as expressions only. */
function literal({ isMariaDb }: Wire, text: string, isLong: boolean): string {
  return isLong && !isMariaDb ? `(${commentLiteral(text)})` : commentLiteral(text);
}
