import type { Field } from '../../contract.ts';
import type { LoggedValue, LogStream } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { columnsWithTypes, findRelationById, type PostgresColumn, type Relation, toField } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { type Computed, computedColumns } from './generated.ts';
import { identityChanged } from './identity.ts';
import { type LineShape, lineShapeOf } from './line-run.ts';
import type { WalRelation, ColumnPlaces } from './messages.ts';

/** How rows of a table become rows of a stream: from a message of the log that describes them, and from the catalogue. */
export interface RowShape {
  readonly stream: number;
  readonly logged: WalRelation;
  /** It is a part of the table that is the stream. */
  readonly isPart: boolean;
  readonly places: ColumnPlaces;
  readonly fields: readonly Field[];
  /** Where the key is in a row. */
  readonly keyAt: readonly number[];
  /** Of the key, which can have no null. */
  readonly keyIsWhole: boolean;
  /** Where money is, in rows and in keys: the log spells it as people do. */
  readonly moneyAt: readonly number[];
  readonly keyMoneyAt: readonly number[];
  /** Columns that the server computes and the log does not have. */
  readonly computed: Computed | undefined;
  /** How its rows are told as lines, where they are. */
  readonly lines: LineShape | undefined;
}

interface RowShapeRequest {
  readonly stream: LogStream;
  /** Its place in the request. */
  readonly index: number;
  /** Of the table that is the stream. */
  readonly oid: string;
}

/** Looks up what the log does not say. */
export async function shapeOf(link: Link, { stream, index, oid }: RowShapeRequest, logged: WalRelation): Promise<RowShape> {
  const typed = new Map((await columnsWithTypes(link, oid, logged.columns)).map((column) => [column.name, column]));
  const relation = await findRelationById(link, oid);
  const columns = logged.columns.map(({ name }) => typed.get(name) ?? unknownColumn(name));
  const computed = await computedColumns(link, relation, columns);
  const fields = fieldsOf(stream, columns, computed, relation);
  const names = fields.map(({ name }) => name);
  const lost = stream.key.filter((name) => !columns.some((column) => column.name === name));
  if (lost.length > 0)
    throw new OutsideError('config', 'FIELD_MISSING', `"${stream.stream}" has no column "${lost[0]}" any more, which is in the key.`, {
      field: 'stream',
      streams: [stream.stream],
      hint: 'It was renamed or dropped. Choose another key; the stream is then loaded anew.',
    });
  const lacking = stream.key.filter((name) => !logged.columns.some((column) => column.name === name && column.isIdentity));
  if (lacking.length > 0) throw identityChanged(stream.stream, lacking);
  // What is needed to compute columns, and is not wanted, stands behind those that are, until it is done.
  const wanted = computed?.columns.filter(({ name }) => names.includes(name)) ?? [];
  const hidden = wanted.length > 0 ? columns.filter(({ name }) => !names.includes(name)).map(({ name }) => name) : [];
  const all = [...names, ...hidden];
  const moneyOf = (list: readonly string[]): number[] => list.flatMap((name, at) => (typed.get(name)?.base === 'money' ? [at] : []));
  const places = {
    row: Int32Array.from(logged.columns, ({ name }) => all.indexOf(name)),
    width: all.length,
    key: Int32Array.from(logged.columns, ({ name }) => stream.key.indexOf(name)),
    keyWidth: stream.key.length,
  };
  const keyAt = stream.key.map((name) => all.indexOf(name));
  const moneyAt = moneyOf(all);
  const isAsLogged = stream.asLines === true && moneyAt.length === 0 && wanted.length === 0;
  return {
    stream: index,
    logged,
    isPart: String(logged.relation) !== oid,
    places,
    fields,
    keyAt,
    keyIsWhole: stream.key.every((name) => typed.get(name)?.nullable === false),
    moneyAt,
    keyMoneyAt: moneyOf(stream.key),
    computed:
      wanted.length > 0
        ? { columns: wanted, inputs: columns.map(({ name, cast, base }) => ({ name, cast, base, at: all.indexOf(name) })) }
        : undefined,
    lines: isAsLogged
      ? lineShapeOf(
          index,
          places,
          keyAt.map((at) => fields[at] as Field),
        )
      : undefined,
  };
}

/** Those that are wanted, in their order, as far as they are there; behind them those that are new, when the request tells what it knows. */
function fieldsOf(
  stream: LogStream,
  columns: readonly PostgresColumn[],
  computed: Computed | undefined,
  relation: Relation | undefined,
): Field[] {
  const there = new Map(columns.map((column) => [column.name, toField(column)]));
  for (const { name } of computed?.columns ?? []) {
    const column = relation?.columns.find((one) => one.name === name);
    if (column && !there.has(name)) there.set(name, toField(column));
  }
  const wanted = [...new Set([...stream.fields, ...stream.key])].flatMap((name) => there.get(name) ?? []);
  const known = new Set([...stream.fields, ...stream.key, ...(stream.ignored ?? [])]);
  return [...wanted, ...(stream.ignored ? [...there.values()].filter(({ name }) => !known.has(name)) : [])];
}

/** Of a type that was dropped since. */
function unknownColumn(name: string): PostgresColumn {
  return { name, type: 'text', nullable: true, base: '', cast: 'text', hasDefault: false, wasFilled: false, generated: '' };
}

/** Whether a description says the same as one before. The server repeats it now and then. */
export function isSameRelation(one: WalRelation, other: WalRelation): boolean {
  return (
    one.columns.length === other.columns.length &&
    one.columns.every((column, at) => {
      const { name, type, modifier, isIdentity } = other.columns[at] as (typeof other.columns)[number];
      return column.name === name && column.type === type && column.modifier === modifier && column.isIdentity === isIdentity;
    })
  );
}

/** `-$1,234.50` as `-1234.50`. How many digits stand behind the point is up to the server. */
export function plainMoney(text: LoggedValue, digits: number): LoggedValue {
  if (typeof text !== 'string') return text;
  const amount = text
    .replace(/\D/g, '')
    .padStart(digits + 1, '0')
    .replace(/^0+(?=\d)/, '')
    .padStart(digits + 1, '0');
  const sign = /[-(\u2212]/.test(text) ? '-' : '';
  return digits === 0 ? `${sign}${amount}` : `${sign}${amount.slice(0, -digits)}.${amount.slice(-digits)}`;
}
