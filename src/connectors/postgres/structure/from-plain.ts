import type { PlainColumn, PlainDefault, PlainReference, StructuredStream } from '../../structure.ts';
import { NameChoice, type NameRoom } from '../../sql-target/structure/fit-name.ts';
import { indexWords, othersLeftOut, planOf } from '../../sql-target/structure/plan.ts';
import { LONGEST_NAME, parseStreamName, quoteName, quoteText, type RelationName } from '../catalogue/names.ts';
import type { DescribedColumn, DescribedObject, DescribedReference, TableStructure } from './described.ts';

/** What a table of another system would be here, by the names of the target; and what stays behind, in sentences. */
export function structureFromPlain(stream: StructuredStream, home: string): { wanted: TableStructure; leftOut: readonly string[] } {
  const table = parseStreamName(stream.stream, home);
  const plan = planOf(stream);
  const tooLong = plan.indexes.filter(({ isShortened }) => isShortened);
  const indexNames = indexNamesBeside(table, stream, home);
  const constraintNames = new NameChoice(ROOM);
  const wanted: TableStructure = {
    ...table,
    comment: plan.comment,
    isPartitioned: false,
    columns: plan.columns.map((column) => columnOf(table, column, indexNames)),
    objects: [
      ...(plan.key.length > 0 ? [primaryOf(indexNames.choose([constraintNames.choose([`${table.name}_pkey`])]), plan.key)] : []),
      ...plan.indexes.flatMap((index): DescribedObject[] => {
        if (tooLong.includes(index)) return [];
        const { name, columns, isUnique } = index;
        const list = columns.map((column) => `${quoteName(column.name)}${column.isDescending ? ' desc' : ''}`).join(', ');
        const names = columns.map((column) => column.name);
        const chosen = indexNames.choose([indexName(table, name, names, isUnique)]);
        return [{ ...object('index', chosen, names), isUnique, definition: `using btree (${list})` }];
      }),
    ],
    references: plan.references.map((reference) => referenceOf(table, reference, home, constraintNames)),
  };
  const untold = tooLong.map(
    (index) => `${indexWords(index)} is left out: it is of the beginnings of texts, and here whole ones could be too long for it.`,
  );
  return { wanted, leftOut: [...plan.leftOut, ...untold, ...othersLeftOut(stream)] };
}

/** Tables, also those that are still to come, have their names from where indexes and sequences have theirs. */
function indexNamesBeside({ schema }: RelationName, { peers }: Pick<StructuredStream, 'peers'>, home: string): NameChoice {
  const tables = peers.map((peer) => parseStreamName(peer.stream, home)).filter((table) => table.schema === schema);
  return new NameChoice(
    ROOM,
    tables.map(({ name }) => name),
  );
}

/** How the key of a table is called; undefined where the name that the server gives it is nobody else's. */
export function keyNameBeside(table: RelationName, stream: Pick<StructuredStream, 'peers'>): string | undefined {
  const usual = [`${table.name}_pkey`];
  // A stream that names no schema may well be a table of this one.
  const name = indexNamesBeside(table, stream, table.schema).choose(usual);
  return name === new NameChoice(ROOM).choose(usual) ? undefined : name;
}

const ROOM: NameRoom = { most: LONGEST_NAME, sizeOf: (text) => Buffer.byteLength(text) };

/** Here the indexes of all tables of a schema share their names, elsewhere those of a table. */
function indexName({ name: table }: RelationName, name: string | null, columns: readonly string[], isUnique: boolean): string {
  if (name === null) return `${table}_${columns.join('_')}_${isUnique ? 'key' : 'idx'}`;
  return name.startsWith(table) ? name : `${table}_${name}`;
}

function columnOf({ schema, name: table }: RelationName, column: PlainColumn, names: NameChoice): DescribedColumn {
  const { name, notNull, isNumbered, next, comment } = column;
  return {
    name,
    notNull: notNull || isNumbered,
    default: column.default && expressionOf(column.default),
    generated: null,
    identity: isNumbered ? 'd' : null,
    sequence: isNumbered
      ? {
          schema,
          name: names.choose([`${table}_${name}_seq`]),
          isOwned: true,
          options: '',
          isDescending: false,
          last: next ?? '1',
          isCalled: false,
        }
      : null,
    collation: null,
    comment,
    maxLength: null,
  };
}

/** A literal without a type takes that of its column. */
function expressionOf(value: PlainDefault): string {
  return value.kind === 'now' ? 'now()' : quoteText(value.text);
}

function primaryOf(name: string, key: readonly string[]): DescribedObject {
  // As the catalogue tells it, so that one that is there already is known again.
  const plainly = key.map((column) => (/^[a-z_][a-z0-9_$]*$/.test(column) ? column : quoteName(column)));
  return { ...object('primary', name, key), isUnique: true, definition: `PRIMARY KEY (${plainly.join(', ')})` };
}

function object(kind: DescribedObject['kind'], name: string, columns: readonly string[]): Omit<DescribedObject, 'definition' | 'isUnique'> {
  return { kind, name, columns, comment: null, plain: null, includes: false, isDeferrable: false };
}

function referenceOf({ name: table }: RelationName, reference: PlainReference, home: string, names: NameChoice): DescribedReference {
  const to = parseStreamName(reference.to, home);
  const { name, columns, toColumns, onDelete, onUpdate } = reference;
  return {
    name: names.choose([name ?? `${table}_${columns.join('_')}_fkey`]),
    columns,
    toSchema: to.schema,
    to: to.name,
    toColumns,
    rest: ` on update ${onUpdate} on delete ${onDelete}`,
    comment: null,
    onDelete,
    onUpdate,
    isDeferrable: false,
  };
}
