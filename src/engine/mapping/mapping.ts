import { Batch, type Reject } from '../../connectors/batch.ts';
import type { CanonicalType, Row, Value } from '../../connectors/canonical.ts';
import type { Field, Filter } from '../../connectors/contract.ts';
import { castFault, castOf } from '../values/cast.ts';
import { compileExpression } from '../expression/expression.ts';
import { beginBatch } from '../expression/work.ts';
import { type MappedColumn, FieldFault, rowByField, type RowTest, valueOf } from './columns.ts';
import { LineMapping } from './lines.ts';
import { compileFilter } from './row-filter.ts';

/** One field of the target: a field that is read, or an expression over those; cast when their types differ. */
export interface OutputField {
  readonly to: string;
  /** The type that is written. */
  readonly type: CanonicalType;
  /** Its place in the rows that are read. */
  readonly from?: number;
  /** CEL over the fields that are read. */
  readonly expression?: string;
}

export interface Mapped {
  /** The rows of the target, with the position and the operation of those that were read. */
  readonly batch: Batch;
  /** `index` is the place in the batch that was read, `row` the row of the source by field. Those of the reader are not among them. */
  readonly rejects: readonly Reject[];
  /** Place in `batch` → place in the batch that was read; undefined when they are the same. */
  readonly origin: readonly number[] | undefined;
}

/** Turns batches of the source into batches of the target. */
export interface Mapping {
  map(batch: Batch): Mapped;
}

interface MappingOptions {
  /** Rows that do not pass are left out. */
  readonly filters?: readonly Filter[];
  /** Names of the source's fields that the rows of a delete hold, in their order. Without it, what is gone at the source is left out. */
  readonly key?: readonly string[];
}

/** Does all thinking once, so that a batch costs as little as its mapping allows: nothing when nothing changes. */
export function compileMapping(read: readonly Field[], outputs: readonly OutputField[], options: MappingOptions = {}): Mapping {
  const write = compileWrites(read, outputs, options.filters ?? []);
  const remove = options.key ? compileWrites(...ofKey(read, outputs, options.key), []) : leftOut;
  const map = (batch: Batch): Mapped => {
    beginBatch();
    return batch.operation === 'delete' ? remove(batch) : write(batch);
  };
  return { map };
}

function untouched(batch: Batch): Mapped {
  return { batch, rejects: [], origin: undefined };
}

/** Nothing is removed; how far the source was read is kept. */
function leftOut({ position }: Batch): Mapped {
  return { batch: Batch.ofRows([], { position }), rejects: [], origin: [] };
}

function compileWrites(read: readonly Field[], outputs: readonly OutputField[], filters: readonly Filter[]): (batch: Batch) => Mapped {
  const columns = outputs.map((output) => compileColumn(read, output));
  const tests = filters.map((filter) => compileTest(read, filter));
  const places = tests.length === 0 ? placesOf(columns) : undefined;
  if (places && places.length === read.length && places.every((from, i) => from === i)) return untouched;
  const names = read.map((field) => field.name);
  const onRows = (batch: Batch): Mapped => mapRows(batch, names, columns, tests);
  const onLines = splicing(names, columns, tests);
  return (batch) => (batch.hasLines ? onLines(batch) : onRows(batch));
}

/** How one field of the target is made of a row. */
export function compileColumn(read: readonly Field[], { to, type, from, expression }: OutputField): MappedColumn {
  if (expression !== undefined) {
    const { uses, evaluate } = compileExpression(expression, read, type);
    return { to, from: undefined, sameUpTo: -1, uses, value: evaluate };
  }
  const field = from === undefined ? undefined : read[from];
  if (from === undefined || !field) throw new Error(`the field ${to} of the target comes from nowhere`);
  const cast = castOf(field.type, type);
  if (!cast) throw new Error(`the field ${to} of the target cannot be made: ${field.type} does not become ${type}`);
  const value = (row: readonly Value[]): Value => {
    const text = row[from] as Value;
    if (text === null || text.length <= cast.sameUpTo) return text;
    const converted = cast.convert(text);
    if (converted === undefined) throw new FieldFault(to, castFault(text, field.type, type));
    return converted;
  };
  return { to, from, sameUpTo: cast.sameUpTo, uses: [from], value };
}

/** How a filter looks at a row. */
export function compileTest(read: readonly Field[], filter: Filter): RowTest {
  const index = read.findIndex((candidate) => candidate.name === filter.field);
  const field = read[index];
  if (!field) throw new Error(`the filter of ${filter.field} cannot be used: the field is not read`);
  return { index, test: compileFilter(field, filter) };
}

/** Where the columns come from, when each is a field of the source as it is spelled. */
function placesOf(columns: readonly MappedColumn[]): number[] | undefined {
  const places = columns.flatMap(({ from, sameUpTo }) => (from !== undefined && sameUpTo === Number.POSITIVE_INFINITY ? [from] : []));
  return places.length === columns.length ? places : undefined;
}

function splicing(names: readonly string[], columns: readonly MappedColumn[], tests: readonly RowTest[]): (batch: Batch) => Mapped {
  const mapping = new LineMapping(names, columns, tests);
  return (batch) => {
    const { lines, count, rejects, origin, recycle } = mapping.map(batch.lines);
    const { position, operation } = batch;
    return { batch: Batch.ofLines(lines, { position, operation, count, recycle }), rejects, origin };
  };
}

function mapRows(batch: Batch, names: readonly string[], columns: readonly MappedColumn[], tests: readonly RowTest[]): Mapped {
  const rows: Row[] = [];
  const origin: number[] = [];
  const rejects: Reject[] = [];
  batch.rows.forEach((row, index) => {
    if (!tests.every(({ index: at, test }) => test(row[at] as Value))) return;
    try {
      rows.push(columns.map((column) => valueOf(column, row)));
      origin.push(index);
    } catch (error) {
      if (!(error instanceof FieldFault)) throw error;
      rejects.push({ index, row: rowByField(names, row), field: error.field, reason: error.message });
    }
  });
  const mapped = Batch.ofRows(rows, { position: batch.position, operation: batch.operation });
  return { batch: mapped, rejects, origin: rows.length === batch.rows.length ? undefined : origin };
}

/** The mapping of the key alone, as the rows of a delete hold it. */
function ofKey(read: readonly Field[], outputs: readonly OutputField[], key: readonly string[]): [Field[], OutputField[]] {
  const fields = key.map((name) => {
    const field = read.find((candidate) => candidate.name === name);
    if (!field) throw new Error(`the field ${name} of the key is not read`);
    return field;
  });
  const keyOutputs = fields.map((field, from) => {
    const output = outputs.find((candidate) => candidate.from === read.indexOf(field));
    if (!output) throw new Error(`the field ${field.name} of the key is not written`);
    return { to: output.to, type: output.type, from };
  });
  return [fields, keyOutputs];
}
