import type { PlainColumn, PlainDefault, PlainIndex, PlainStructure, ReferenceAction } from '../../structure.ts';
import { streamName } from '../catalogue/names.ts';
import type { DescribedColumn, DescribedObject, DescribedReference, TableStructure } from './described.ts';

/** What a table has in words that other systems understand, and the names of what it has beside. */
export function plainOf(table: TableStructure): PlainStructure {
  const { objects, references, columns } = table;
  return {
    comment: table.comment,
    columns: columns.map(plainColumn),
    key: objects.find(({ kind }) => kind === 'primary')?.plain?.map(({ name }) => name) ?? [],
    indexes: objects.flatMap(plainIndex),
    references: references.map((reference) => ({
      name: reference.name,
      columns: reference.columns,
      to: streamName({ schema: reference.toSchema, name: reference.to }),
      toColumns: reference.toColumns,
      onDelete: actionOf(reference.onDelete),
      onUpdate: actionOf(reference.onUpdate),
    })),
    others: [...columns.flatMap(otherThanPlain), ...objects.flatMap(objectOthers), ...references.flatMap(referenceOthers)],
  };
}

function plainColumn(column: DescribedColumn): PlainColumn {
  const { name, notNull, sequence, maxLength, comment } = column;
  const isNumbered = numbers(column);
  const last = sequence?.last ?? null;
  return {
    name,
    notNull,
    default: defaultOf(column) ?? null,
    isNumbered,
    next: isNumbered && last !== null ? String(BigInt(last) + (sequence?.isCalled ? 1n : 0n)) : null,
    maxLength,
    comment,
  };
}

function numbers({ identity, sequence, default: text }: DescribedColumn): boolean {
  return (
    sequence !== null && !sequence.isDescending && (identity !== null || /^nextval\('[^']*(?:''[^']*)*'::regclass\)$/.test(text ?? ''))
  );
}

/** Types whose literals are spelled alike elsewhere. */
const CASTS =
  /^'((?:[^']|'')*)'::(text|character varying|character|bpchar|numeric|integer|bigint|smallint|double precision|real|date|time without time zone|timestamp without time zone|uuid)(?:\(\d+(?:,\d+)?\))?$/;
const NUMBER = /^\(?(-?\d+(?:\.\d+)?)\)?$/;
const NUMERIC: ReadonlySet<string> = new Set(['numeric', 'integer', 'bigint', 'smallint', 'double precision', 'real']);
const NOW =
  /^(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|transaction_timestamp\(\)|statement_timestamp\(\)|clock_timestamp\(\))(?:\(\d\))?$/i;

/** Undefined where there is none, or none that others understand. */
function defaultOf({ default: text, sequence }: DescribedColumn): PlainDefault | undefined {
  if (text === null || sequence) return undefined;
  if (NOW.test(text)) return { kind: 'now' };
  if (text === 'true' || text === 'false') return { kind: 'boolean', text: text === 'true' ? 't' : 'f' };
  // What a type is told with behind a number changes nothing of it.
  const number = NUMBER.exec(text.replace(/::(?:numeric|integer|bigint|smallint|double precision|real)(?:\(\d+,\d+\))?$/, ''));
  if (number?.[1] !== undefined) return { kind: 'number', text: number[1] };
  const literal = CASTS.exec(text);
  if (literal?.[1] === undefined) return undefined;
  const value = literal[1].replaceAll("''", "'");
  return { kind: NUMERIC.has(literal[2] ?? '') && /^-?\d+(\.\d+)?$/.test(value) ? 'number' : 'text', text: value };
}

function otherThanPlain(column: DescribedColumn): string[] {
  const { name, default: text, generated, collation, identity } = column;
  const isNull = text !== null && /^NULL::/i.test(text);
  return [
    ...(text !== null && !isNull && !numbers(column) && !defaultOf(column) ? [`The default of the column "${name}"`] : []),
    ...(generated === null ? [] : [`The expression that computes the column "${name}"`]),
    ...(collation === null ? [] : [`The collation of the column "${name}"`]),
    ...(identity === 'a' ? [`That the column "${name}" is always given by the system`] : []),
  ];
}

function plainIndex({ kind, name, plain, isUnique }: DescribedObject): PlainIndex[] {
  return kind === 'primary' || plain === null ? [] : [{ name, columns: plain, isUnique }];
}

function objectOthers({ kind, name, plain, includes, isDeferrable, comment }: DescribedObject): string[] {
  const what = `the ${kind === 'primary' ? 'primary key' : kind} "${name}"`;
  if (plain === null) return [what.replace('the', 'The')];
  return [
    ...(includes ? [`What ${what} includes beside its columns`] : []),
    ...(isDeferrable ? [`That ${what} can be deferred`] : []),
    ...(comment === null ? [] : [`The comment on ${what}`]),
  ];
}

function referenceOthers({ name, isDeferrable, comment }: DescribedReference): string[] {
  return [
    ...(isDeferrable ? [`That the foreign key "${name}" can be deferred`] : []),
    ...(comment === null ? [] : [`The comment on the foreign key "${name}"`]),
  ];
}

const ACTIONS: Readonly<Record<string, ReferenceAction>> = { r: 'restrict', c: 'cascade', n: 'set null', d: 'set default' };

function actionOf(letter: string): ReferenceAction {
  return ACTIONS[letter] ?? 'no action';
}
