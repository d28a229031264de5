import type { AppliedTo } from '../../changes.ts';
import type { Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { encodeRows } from '../../lines.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Placed } from '../../sql-target/apply/placed.ts';
import { type TypedColumn, typed } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';
import type { MysqlTable } from '../catalogue/discover.ts';
import type { Wire } from '../wire/connection.ts';
import { type Channel, Filler } from '../write/fill.ts';
import type { Portion } from '../write/portion.ts';

const [PLACE, GROUP] = ['_syncline_n', '_syncline_g'];
const before = (index: number): string => `_syncline_k${index}`;

/** A stream that changes are applied to, and the temporary table that they go through. */
export interface MysqlStream {
  readonly request: AppliedTo;
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly table: MysqlTable;
  /** Of the fields, in their order. */
  readonly columns: readonly TypedColumn[];
  readonly keyColumns: readonly TypedColumn[];
  /** The name of the stage. Another one after every change of the fields. */
  readonly stage: string;
}

let stages = 0;

export function mysqlStream(request: AppliedTo, table: MysqlTable, find: (name: string) => TypedColumn): MysqlStream {
  const { fields, key } = request;
  return {
    request,
    fields,
    key,
    table,
    columns: fields.map(({ name }) => find(name)),
    keyColumns: key.map((name) => find(name)),
    stage: `_syncline_changes_${++stages}`,
  };
}

/** The columns of a stage: the place of a change and its group, the values, and the key before. */
function stageColumns({ columns, keyColumns }: MysqlStream): TypedColumn[] {
  const number = (name: string): TypedColumn =>
    typed(
      {
        name,
        dataType: 'int',
        columnType: 'int',
        nullable: false,
        characterSet: null,
        collation: null,
        comment: '',
        extra: '',
        isJson: false,
      },
      { tinyint1: 'integer' },
    );
  return [number(GROUP), number(PLACE), ...columns, ...keyColumns.map((column, i) => ({ ...column, name: before(i) }))];
}

export function stageStatement(stream: MysqlStream): string {
  const parts = stageColumns(stream).map(({ name, columnType, characterSet, collation }, i) => {
    const text = characterSet === null ? '' : ` character set ${characterSet} collate ${collation}`;
    return `${quote(name)} ${columnType}${text} ${i < 2 ? 'not null' : 'null default null'}`;
  });
  const key = `primary key (${quote(GROUP)}, ${quote(PLACE)})`;
  return `create temporary table if not exists ${quote(stream.stage)} (${[...parts, key].join(', ')}) engine = InnoDB row_format = dynamic`;
}

/** The rows of the stage `s` that are of a group; or the one of a change. */
export function isOf(group: number, place?: number): string {
  return `s.${quote(GROUP)} = ${group}${place === undefined ? '' : ` and s.${quote(PLACE)} = ${place}`}`;
}

export const PLACE_OF = `s.${quote(PLACE)}`;

/** That the row `t` has the key before of `s`. */
export function isBefore({ keyColumns }: MysqlStream): string {
  return keyColumns.map(({ name }, i) => `t.${quote(name)} = s.${before(i)}`).join(' and ');
}

/** That the key before of `s` is none of its own. */
export function isMoved({ keyColumns }: MysqlStream): string {
  return `not (${keyColumns.map(({ name }, i) => `s.${quote(name)} <=> s.${before(i)}`).join(' and ')})`;
}

/** Why a value does not get into the stage, in words. */
class UnfitRow extends OutsideError {
  readonly index: number;

  constructor(reason: string, field: string | undefined, index: number) {
    super('data', 'VALUE_REFUSED', reason, field === undefined ? {} : { field });
    this.index = index;
  }
}

/** Puts changes into the stage. Answers those that do not fit; the others are there. */
export async function fillStage(
  wire: Wire,
  stream: MysqlStream,
  changes: readonly { readonly one: Placed; readonly group: number }[],
  channel: Channel,
): Promise<UnfitRow[]> {
  const columns = stageColumns(stream);
  const numbers = [GROUP, PLACE].map((name): Field => ({ name, type: 'int64', nullable: false }));
  const keyFields = stream.key.map((name) => stream.fields.find((field) => field.name === name) as Field);
  const fields = [...numbers, ...stream.fields, ...keyFields.map((field, i) => ({ ...field, name: before(i) }))];
  const filler = new Filler(wire, { table: stream.stage, target: stream.table.name, columns, fields, replaces: false, channel });
  const lines: Buffer[] = [];
  const indexes: number[] = [];
  const unfit: UnfitRow[] = [];
  for (const [index, { one, group }] of changes.entries()) {
    try {
      lines.push(encodeRows([stageRow(stream, one, group)]));
      indexes.push(index);
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      unfit.push(new UnfitRow(error.message, undefined, index));
    }
  }
  const portion = portionOf(lines, indexes, fields);
  const rejects = portion.count === 0 ? [] : ((await filler.load(portion)) ?? (await filler.fill(portion)));
  return [...unfit, ...rejects.map(({ reason, field, index = 0 }) => new UnfitRow(reason, field, index))];
}

function portionOf(lines: readonly Buffer[], indexes: readonly number[], fields: readonly Field[]): Portion {
  return { lines: Buffer.concat(lines), count: lines.length, indexes, fields };
}

function stageRow({ fields, key }: MysqlStream, { change, place }: Placed, group: number): Value[] {
  const isRow = change.op === 'insert' || change.op === 'update';
  const values = fields.map(({ name }, i): Value => {
    if (isRow) return change.row[i] ?? null;
    return change.op === 'delete' ? (change.key[key.indexOf(name)] ?? null) : null;
  });
  const keys = key.map((_, i): Value => (change.op === 'update' ? (change.key?.[i] ?? null) : null));
  return [String(group), String(place), ...values, ...keys];
}
