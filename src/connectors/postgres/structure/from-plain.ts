import type { PlainColumn, PlainDefault, PlainReference, StructuredStream } from '../../structure.ts';
import { fitName } from '../../sql-target/structure/fit-name.ts';
import { indexWords, othersLeftOut, planOf } from '../../sql-target/structure/plan.ts';
import { LONGEST_NAME, parseStreamName, quoteName, quoteText, type RelationName } from '../catalogue/names.ts';
import type { DescribedColumn, DescribedObject, DescribedReference, TableStructure } from './described.ts';

/** What a table of another system would be here, by the names of the target; and what stays behind, in sentences. */
export function structureFromPlain(stream: StructuredStream, home: string): { wanted: TableStructure; leftOut: readonly string[] } {
  const table = parseStreamName(stream.stream, home);
  const plan = planOf(stream);
  const tooLong = plan.indexes.filter(({ isShortened }) => isShortened);
  const wanted: TableStructure = {
    ...table,
    comment: plan.comment,
    isPartitioned: false,
    columns: plan.columns.map((column) => columnOf(table, column)),
    objects: [
      ...(plan.key.length > 0 ? [primaryOf(table, plan.key)] : []),
      ...plan.indexes.flatMap((index): DescribedObject[] => {
        if (tooLong.includes(index)) return [];
        const { name, columns, isUnique } = index;
        const list = columns.map((column) => `${quoteName(column.name)}${column.isDescending ? ' desc' : ''}`).join(', ');
        const names = columns.map((column) => column.name);
        return [{ ...object('index', indexName(table, name, names, isUnique), names), isUnique, definition: `using btree (${list})` }];
      }),
    ],
    references: plan.references.map((reference) => referenceOf(table, reference, home)),
  };
  const untold = tooLong.map(
    (index) => `${indexWords(index)} is left out: it is of the beginnings of texts, and here whole ones could be too long for it.`,
  );
  return { wanted, leftOut: [...plan.leftOut, ...untold, ...othersLeftOut(stream)] };
}

const fit = (name: string): string => fitName(name, LONGEST_NAME, (text) => Buffer.byteLength(text));

/** Here the indexes of all tables of a schema share their names, elsewhere those of a table. */
function indexName({ name: table }: RelationName, name: string | null, columns: readonly string[], isUnique: boolean): string {
  if (name === null) return fit(`${table}_${columns.join('_')}_${isUnique ? 'key' : 'idx'}`);
  return fit(name.startsWith(table) ? name : `${table}_${name}`);
}

function columnOf({ schema, name: table }: RelationName, column: PlainColumn): DescribedColumn {
  const { name, notNull, isNumbered, next, comment } = column;
  return {
    name,
    notNull: notNull || isNumbered,
    default: column.default && expressionOf(column.default),
    generated: null,
    identity: isNumbered ? 'd' : null,
    sequence: isNumbered
      ? { schema, name: fit(`${table}_${name}_seq`), isOwned: true, options: '', isDescending: false, last: next ?? '1', isCalled: false }
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

function primaryOf({ name }: RelationName, key: readonly string[]): DescribedObject {
  // As the catalogue tells it, so that one that is there already is known again.
  const plainly = key.map((column) => (/^[a-z_][a-z0-9_$]*$/.test(column) ? column : quoteName(column)));
  return { ...object('primary', fit(`${name}_pkey`), key), isUnique: true, definition: `PRIMARY KEY (${plainly.join(', ')})` };
}

function object(kind: DescribedObject['kind'], name: string, columns: readonly string[]): Omit<DescribedObject, 'definition' | 'isUnique'> {
  return { kind, name, columns, comment: null, plain: null, includes: false, isDeferrable: false };
}

function referenceOf({ name: table }: RelationName, reference: PlainReference, home: string): DescribedReference {
  const to = parseStreamName(reference.to, home);
  const { name, columns, toColumns, onDelete, onUpdate } = reference;
  return {
    name: fit(name ?? `${table}_${columns.join('_')}_fkey`),
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
