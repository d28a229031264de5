import { type MysqlColumn, typed, type TypedColumn } from '../catalogue/columns.ts';
import { findTables, holdSome } from '../catalogue/discover.ts';
import { textLiteral } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';
import { TYPE } from './codes.ts';
import { type LogEnd, logEnd } from './server.ts';
import type { LoggedColumn } from './table-map.ts';

/** A table as it is now, which may be later than what the log tells. */
export interface TableNow {
  readonly columns: readonly TypedColumn[];
  readonly name: string;
  /** When it was made or altered last, in seconds, as far as the server tells. */
  readonly alteredAt: number;
  /** Every statement that alters it leaves another time there. */
  readonly isDated: boolean;
  /** Where the log ended at that moment. */
  readonly end?: LogEnd;
}

export async function tableNow(wire: Wire, config: MysqlConfig, name: string): Promise<TableNow | undefined> {
  const [table] = await findTables(wire, config, [name]);
  if (!table) return undefined;
  const [[alteredAt, engine] = []] = await wire.rows(
    `select unix_timestamp(create_time), engine from information_schema.tables where table_schema = database() and table_name = ${textLiteral(name)}`,
  );
  // Others keep the time at which their files were made, and a column may get another name without new files.
  const isDated = alteredAt != null && engine === 'InnoDB';
  return { columns: table.columns, name, alteredAt: Number(alteredAt ?? 0), isDated };
}

/** So long a statement that is altering the table is waited for, in seconds. Servers would wait for a day. */
const PATIENCE_SECONDS = 10;

/**
 * A table with the place at which the log ended then. Nobody alters it in the meantime, so all that has made it what it is stands before that place:
 * a statement keeps others from the table until it is in the log.
 */
export async function heldTable(wire: Wire, config: MysqlConfig, name: string): Promise<TableNow | undefined> {
  await wire.run(`set session lock_wait_timeout = ${PATIENCE_SECONDS}`);
  await wire.run('start transaction');
  const table = (await holdSome(wire, [name])) ? await tableNow(wire, config, name) : undefined;
  const end = await logEnd(wire);
  await wire.run('commit');
  return table && { ...table, end };
}

/** Whether the log tells the names of the columns. */
export function areNamed(logged: readonly LoggedColumn[]): boolean {
  return logged[0]?.name !== undefined;
}

/**
 * The columns of the log with what the catalogue says of them. Undefined when it cannot be told which is which: the log has no names, and the table has
 * been altered since.
 */
export function nameColumns(
  logged: readonly LoggedColumn[],
  now: TableNow | undefined,
  { charsetOf, config, writtenAt }: { charsetOf: (collation: number) => string | undefined; config: MysqlConfig; writtenAt: number },
): (TypedColumn | undefined)[] | undefined {
  if (areNamed(logged)) {
    const byName = new Map(now?.columns.map((column) => [column.name.toLowerCase(), column]));
    return logged.map((column) => {
      const known = byName.get((column.name ?? '').toLowerCase());
      return known && isSame(column, known, charsetOf) ? known : typed(described(column, charsetOf), config);
    });
  }
  if (!now || now.alteredAt > writtenAt) return undefined;
  // What a server keeps to itself, such as the period of a row, stands behind the others.
  if (now.columns.length > logged.length || !now.columns.every((column, i) => isSame(logged[i] as LoggedColumn, column, charsetOf)))
    return undefined;
  return logged.map((_, i) => now.columns[i]);
}

const STRINGS = [TYPE.string];
const VARIABLE = [TYPE.varchar, TYPE.varString, TYPE.compressedVarchar];
const BLOBS = [TYPE.blob, TYPE.tinyBlob, TYPE.mediumBlob, TYPE.longBlob, TYPE.compressedBlob];

const LOGGED_AS: Readonly<Record<string, readonly number[]>> = {
  tinyint: [TYPE.tiny],
  smallint: [TYPE.short],
  mediumint: [TYPE.int24],
  int: [TYPE.long],
  bigint: [TYPE.longlong],
  float: [TYPE.float],
  double: [TYPE.double],
  decimal: [TYPE.decimal],
  bit: [TYPE.bit],
  year: [TYPE.year],
  date: [TYPE.date, TYPE.newdate],
  time: [TYPE.time2, TYPE.time],
  datetime: [TYPE.datetime2, TYPE.datetime],
  timestamp: [TYPE.timestamp2, TYPE.timestamp],
  enum: [TYPE.enum],
  set: [TYPE.set],
  json: [TYPE.json, ...BLOBS],
  char: STRINGS,
  binary: STRINGS,
  uuid: STRINGS,
  inet4: STRINGS,
  inet6: STRINGS,
  varchar: VARIABLE,
  varbinary: VARIABLE,
  vector: [TYPE.vector, ...VARIABLE],
  tinytext: BLOBS,
  text: BLOBS,
  mediumtext: BLOBS,
  longtext: BLOBS,
  tinyblob: BLOBS,
  blob: BLOBS,
  mediumblob: BLOBS,
  longblob: BLOBS,
};
/** How many bytes the length of each kind of text has. */
const LENGTHS: Readonly<Record<string, number>> = {
  tinytext: 1,
  tinyblob: 1,
  text: 2,
  blob: 2,
  mediumtext: 3,
  mediumblob: 3,
  longtext: 4,
  longblob: 4,
};

/** Whether a column of the log can be what the catalogue says. */
function isSame(logged: LoggedColumn, column: TypedColumn, charsetOf: (collation: number) => string | undefined): boolean {
  const types = LOGGED_AS[column.dataType] ?? [TYPE.geometry];
  if (!types.includes(logged.type)) return false;
  const [, digits = '', decimals = '0'] = /\((\d+)(?:,(\d+))?\)/.exec(column.columnType) ?? [];
  if (logged.isUnsigned !== undefined && logged.isUnsigned !== /unsigned|zerofill/.test(column.columnType)) return false;
  if (logged.collation !== undefined && column.characterSet !== null) {
    const charset = charsetOf(logged.collation);
    if (charset !== undefined && sameName(charset) !== sameName(column.characterSet)) return false;
  }
  switch (logged.type) {
    case TYPE.decimal:
      return logged.size === Number(digits) && logged.scale === Number(decimals);
    case TYPE.bit:
      return logged.size === Number(digits || 1);
    case TYPE.time2:
    case TYPE.datetime2:
    case TYPE.timestamp2:
      return logged.size === Number(digits || 0);
    case TYPE.blob:
      return (LENGTHS[column.dataType] ?? logged.size) === logged.size;
    default:
      return true;
  }
}

const sameName = (charset: string): string => (charset === 'utf8' ? 'utf8mb3' : charset);

/** A column that is no longer there, as far as the log alone tells. */
function described(logged: LoggedColumn, charsetOf: (collation: number) => string | undefined): MysqlColumn {
  const charset = logged.collation === undefined ? 'binary' : (charsetOf(logged.collation) ?? 'binary');
  const isText = charset !== 'binary';
  const [dataType, inBrackets] = nativeType(logged, isText);
  const members = logged.members?.map((name) => `'${name.toString('utf8').replaceAll("'", "''")}'`).join(',');
  const brackets = members ?? inBrackets;
  return {
    name: logged.name ?? '',
    dataType,
    columnType: `${dataType}${brackets === undefined ? '' : `(${brackets})`}${logged.isUnsigned ? ' unsigned' : ''}`,
    nullable: logged.nullable,
    characterSet: isText ? charset : null,
    collation: null,
    comment: '',
    extra: '',
    isJson: logged.type === TYPE.json,
  };
}

const NATIVE: ReadonlyMap<number, string> = new Map(
  Object.entries(LOGGED_AS)
    .flatMap(([name, types]) => types.map((type) => [type, name] as const))
    .toReversed(),
);

function nativeType({ type, size, scale }: LoggedColumn, isText: boolean): [dataType: string, brackets?: string | number] {
  switch (type) {
    case TYPE.decimal:
      return ['decimal', `${size},${scale}`];
    case TYPE.bit:
      return ['bit', size];
    case TYPE.time2:
    case TYPE.datetime2:
    case TYPE.timestamp2: {
      const name = NATIVE.get(type) ?? 'datetime';
      return size > 0 ? [name, size] : [name];
    }
    case TYPE.string:
      return [isText ? 'char' : 'binary', isText ? Math.max(1, size >> 2) : size];
    case TYPE.varchar:
    case TYPE.varString:
    case TYPE.compressedVarchar:
      return [isText ? 'varchar' : 'varbinary', isText ? Math.max(1, size >> 2) : size];
    case TYPE.blob:
    case TYPE.compressedBlob:
      return [`${['', 'tiny', '', 'medium', 'long'][size] ?? 'long'}${isText ? 'text' : 'blob'}`];
    default:
      return [NATIVE.get(type) ?? (type === TYPE.geometry ? 'geometry' : 'varchar')];
  }
}
