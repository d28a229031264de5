import type { Field, WriteRequest } from '../../contract.ts';
import { LANGUAGE } from '../manifest.ts';
import { DECLARED, MARKED_NOW } from '../database/declared.ts';
import { quote } from '../database/open.ts';
import { nameAt, othersLeftOut, planOf, type StructurePlan } from '../../sql-target/structure/plan.ts';
import type { PlainColumn, PlainDefault, PlainReference, StructuredStream } from '../../structure.ts';
import { constraintWords } from './describe.ts';
import type { SqliteStructure } from './described.ts';
import { deferralsOf, renamed, type WrittenColumn, type WrittenConstraint } from './table-text.ts';

/** What the source has in words of SQLite; undefined when it is another system. */
export function ownOf({ described }: StructuredStream): SqliteStructure | undefined {
  return described?.language === LANGUAGE ? (described.own as SqliteStructure) : undefined;
}

/** The statement that makes a table as that of the source is. SQLite takes no constraints later: all but indexes is said now. */
export function creationOf(request: WriteRequest, stream: StructuredStream, fields: readonly Field[]): string {
  const own = ownOf(stream);
  if (!own) return composed(request.stream, plainParts(request, stream, fields), '');
  return isTheSame(request, stream, fields, own) ? own.sql : composed(request.stream, ownParts(stream, fields, own), own.written.options);
}

function composed(table: string, parts: readonly string[], options: string): string {
  return `create table main.${quote(table)} (${parts.join(', ')}) ${options}`.trimEnd();
}

/** Whether the table can be made by the very statement of the source. */
function isTheSame(request: WriteRequest, stream: StructuredStream, fields: readonly Field[], { name, written }: SqliteStructure): boolean {
  const { columns } = written;
  const { references } = planOf(stream);
  return (
    request.stream === name &&
    fields.length === columns.length &&
    columns.every(
      (column, place) => fields[place]?.name === column.name && nameAt(stream, column.name) === column.name && !isComputed(column),
    ) &&
    references.length === (stream.described?.plain.references.length ?? 0) &&
    (stream.connects || references.length === 0) &&
    stream.peers.every((peer) => peer.source === peer.stream)
  );
}

const isComputed = ({ constraints }: WrittenColumn): boolean => constraints.some(({ kind }) => kind === 'GENERATED' || kind === 'AS');

function namesOf(stream: StructuredStream, { written }: SqliteStructure): ReadonlyMap<string, string | undefined> {
  return new Map(written.columns.map(({ name }) => [name.toLowerCase(), nameAt(stream, name)]));
}

/** Made anew: what computes a column is left to the source, and references are told by the names of the target. */
const LEFT: ReadonlySet<string> = new Set(['GENERATED', 'AS', 'REFERENCES', 'FOREIGN']);

function ownParts(stream: StructuredStream, fields: readonly Field[], own: SqliteStructure): string[] {
  const names = namesOf(stream, own);
  const kept = (constraints: readonly WrittenConstraint[]): string[] =>
    constraints.flatMap(({ kind, text }) => {
      const made = LEFT.has(kind) ? undefined : renamed(text, names);
      return made && 'text' in made ? [made.text] : [];
    });
  const columns = fields.map(({ name, type }) => {
    const column = own.written.columns.find((each) => nameAt(stream, each.name) === name);
    return column ? [quote(name), column.type, ...kept(column.constraints)].join(' ') : `${quote(name)} ${DECLARED[type]}`;
  });
  const deferrals = new Map(
    deferralsOf(own.written).map((deferral) => [
      JSON.stringify(deferral.columns.map((column) => names.get(column.toLowerCase()))),
      deferral.text,
    ]),
  );
  return [...columns, ...kept(own.written.constraints), ...references(stream, planOf(stream), deferrals)];
}

function plainParts(request: WriteRequest, stream: StructuredStream, fields: readonly Field[]): string[] {
  const plan = planOf(stream);
  const key = plan.key.length > 0 || request.mode === 'append' ? plan.key : request.key;
  const numbered = numberedOf(plan, key, fields);
  const columns = fields.map(({ name, type }) => {
    if (name === numbered) return `${quote(name)} INTEGER PRIMARY KEY AUTOINCREMENT`;
    const column = plan.columns.find((each) => each.name === name);
    const isFilled = column?.notNull || key.includes(name);
    return `${quote(name)} ${DECLARED[type]}${isFilled ? ' not null' : ''}${column?.default ? ` default ${expressionOf(column.default, type)}` : ''}`;
  });
  const primary = key.length > 0 && numbered === undefined ? [`primary key (${key.map(quote).join(', ')})`] : [];
  return [...columns, ...primary, ...references(stream, plan)];
}

/** The column whose numbers SQLite gives: it is the whole key, and an integer. */
function numberedOf({ columns }: StructurePlan, key: readonly string[], fields: readonly Field[]): string | undefined {
  const [name] = key;
  const isInteger = fields.some((field) => field.name === name && field.type === 'int64');
  return key.length === 1 && isInteger && columns.some((column) => column.name === name && column.isNumbered) ? name : undefined;
}

function expressionOf(value: PlainDefault, type: Field['type']): string {
  switch (value.kind) {
    case 'now':
      return type === 'timestamptz' ? `(${MARKED_NOW})` : 'current_timestamp';
    case 'boolean':
      return value.text === 't' ? '1' : '0';
    // In a column of texts a number would stay one.
    case 'number':
      return type === 'decimal' || type === 'text' ? literal(value.text) : value.text;
    default:
      return literal(value.text);
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Foreign keys; when each is looked at, by its columns as JSON, where its source is of SQLite, too. */
function references({ connects }: StructuredStream, plan: StructurePlan, deferrals: ReadonlyMap<string, string> = new Map()): string[] {
  if (!connects) return [];
  return plan.references.map((reference) =>
    [referenceText(reference), deferrals.get(JSON.stringify(reference.columns)) ?? ''].join(' ').trimEnd(),
  );
}

function referenceText({ columns, to, toColumns, onDelete, onUpdate }: PlainReference): string {
  const list = (names: readonly string[]): string => names.map(quote).join(', ');
  return `foreign key (${list(columns)}) references ${quote(to)} (${list(toColumns)}) on update ${onUpdate} on delete ${onDelete}`;
}

/** What the table does not get, in sentences. */
export function leftOutOf(stream: StructuredStream): string[] {
  const own = ownOf(stream);
  const plan = planOf(stream);
  const isLive = !stream.connects && plan.references.length > 0;
  const live = isLive ? ['Foreign keys are left out while the synchronization is live, and SQLite takes none later.'] : [];
  if (!own) return [...plan.leftOut, ...othersLeftOut(stream), ...unnumbered(plan), ...commented(plan), ...live];
  const names = namesOf(stream, own);
  const { columns, constraints } = own.written;
  const lost = [...columns.flatMap((column) => column.constraints), ...constraints].flatMap((constraint) => {
    const made = constraint.kind === 'CHECK' ? renamed(constraint.text, names) : { text: '' };
    return 'missing' in made ? [`${constraintWords(constraint)} is left out: "${made.missing}" is not brought over as it is.`] : [];
  });
  const computed = columns
    .filter((column) => isComputed(column) && nameAt(stream, column.name) !== undefined)
    .map(({ name }) => `The column "${name}" is computed at the source; here it is a plain one, with what was read.`);
  return [...plan.leftOut, ...lost, ...computed, ...live];
}

function unnumbered({ columns, key }: StructurePlan): string[] {
  const isGiven = ({ name }: PlainColumn): boolean => key.length === 1 && key[0] === name;
  return columns
    .filter((column) => column.isNumbered && !isGiven(column))
    .map(({ name }) => `That new rows get a number in the column "${name}" is left out: SQLite gives numbers to a key of one column only.`);
}

function commented({ comment, columns }: StructurePlan): string[] {
  const why = 'SQLite has no comments.';
  return [
    ...(comment === null || comment === '' ? [] : [`The comment on the table is left out: ${why}`]),
    ...columns.flatMap((column) =>
      column.comment === null || column.comment === '' ? [] : [`The comment on the column "${column.name}" is left out: ${why}`],
    ),
  ];
}
