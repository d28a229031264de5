import type { Field } from '../../contract.ts';
import { DELETED_AT } from '../../marks.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { columnMissing, indexMissing, isView, tableMissing } from '../../sql-target/faults.ts';
import { tagOf, typed } from '../catalogue/columns.ts';
import { findTable, type MysqlTable } from '../catalogue/discover.ts';
import { quote } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import { numberOf } from '../wire/server-errors.ts';
import type { Wire } from '../wire/connection.ts';

/** An index of InnoDB has at most so many bytes. */
const INDEX_BYTES = 3072;

/** Bytes decide, not a language's idea of equal letters, and a space at the end counts: no two keys of a source become one. */
export function exactCollation(wire: Pick<Wire, 'isMariaDb' | 'version'>): string {
  if (wire.isMariaDb) return 'character set utf8mb4 collate utf8mb4_nopad_bin';
  const [major = 0, minor = 0, patch = 0] = wire.version.split(/[.-]/).map(Number);
  // Before that none compares all of a text.
  if (major < 8 || (major === 8 && minor === 0 && patch < 17))
    throw new OutsideError('config', 'VERSION_TOO_OLD', `The server is MySQL ${wire.version}; to write to it, 8.0.17 or newer is needed.`, {
      field: 'host',
      hint: 'It can be read, and its log can be followed. To write to it, upgrade the server.',
    });
  return 'character set utf8mb4 collate utf8mb4_0900_bin';
}

interface Wanted {
  stream: string;
  fields: readonly Field[];
  key: readonly string[];
  create: boolean;
  /** Whether rows are found by the key, so that there has to be a unique index. */
  byKey: boolean;
  marks: boolean;
  /** What has to be done before a table is made that was not there. */
  beforeCreation(): Promise<void>;
}

/** The table, made or extended where it lacks something. */
export async function prepareTable(wire: Wire, config: MysqlConfig, wanted: Wanted): Promise<MysqlTable> {
  for (const name of [wanted.stream, ...wanted.fields.map((field) => field.name)]) demandName(name);
  let table = await findTable(wire, config, wanted.stream);
  if (!table) {
    if (!wanted.create) throw tableMissing(wanted.stream);
    await wanted.beforeCreation();
    await create(wire, createStatement(wire, wanted));
    table = await findTable(wire, config, wanted.stream);
  } else if (table.kind === 'view') {
    throw isView(wanted.stream);
  }
  const present = new Set(table?.columns.map((column) => column.name.toLowerCase()));
  const missing = wanted.fields.filter((field) => !present.has(field.name.toLowerCase()));
  const additions = missing.map((field) => definition(wire, { ...field, nullable: true }, wanted.key, wanted.fields));
  if (wanted.marks && !present.has(DELETED_AT)) additions.push(markDefinition());
  if (additions.length > 0) {
    const [first] = missing;
    if (!wanted.create) throw columnMissing(wanted.stream, first?.name ?? DELETED_AT);
    await wire.run(`alter table ${quote(wanted.stream)} ${additions.map((addition) => `add column ${addition}`).join(', ')}`);
    table = await findTable(wire, config, wanted.stream);
  }
  if (!table) throw new OutsideError('transient', 'SCHEMA_CHANGED', `"${wanted.stream}" disappeared while it was being prepared.`);
  if (wanted.byKey && !hasKey(table, wanted.key)) table = await addKey(wire, config, wanted);
  return table;
}

/** Throws when the server cannot have this name, before it says so in its own words. */
function demandName(name: string): void {
  const why =
    name === '' || name.length > 64
      ? 'is empty or longer than 64 characters'
      : /[\0\u{10000}-\u{10ffff}]|\s$/u.test(name)
        ? 'ends with a space or has signs that a name may not have here'
        : undefined;
  if (why)
    throw new OutsideError('config', 'NAME_REFUSED', `"${name}" cannot be a name in MySQL: it ${why}.`, {
      hint: 'Map it to another name.',
    });
}

function hasKey(table: MysqlTable, key: readonly string[]): boolean {
  const names = new Set(key.map((name) => name.toLowerCase()));
  return table.uniqueKeys.some((unique) => unique.every((name) => names.has(name.toLowerCase())));
}

async function addKey(wire: Wire, config: MysqlConfig, wanted: Wanted): Promise<MysqlTable> {
  const { stream, key, create } = wanted;
  const statement = `alter table ${quote(stream)} add unique index (${key.map(quote).join(', ')})`;
  const refusal = (cause?: unknown): OutsideError =>
    indexMissing(wanted, `Its columns have to be NOT NULL, and no two rows may have the same key. Then run: ${statement}`, cause);
  if (!create) throw refusal();
  await wire.run(statement).catch((error: unknown) => {
    throw refusal(error);
  });
  const table = await findTable(wire, config, stream);
  if (!table || !hasKey(table, key)) throw refusal();
  return table;
}

function createStatement(wire: Wire, { stream, fields, key, marks }: Wanted): string {
  const parts = fields.map((field) => definition(wire, field, key, fields));
  if (marks && !fields.some((field) => field.name === DELETED_AT)) parts.push(markDefinition());
  if (key.length > 0) parts.push(`primary key (${key.map(quote).join(', ')})`);
  return `create table if not exists ${quote(stream)} (${parts.join(', ')}) engine = InnoDB row_format = dynamic default ${exactCollation(wire)}`;
}

/**
 * With many columns, the server refuses a table of which the longest row would not fit a page, though real rows may. Such a table is
 * made all the same; a row that does not fit is refused when it comes.
 */
async function create(wire: Wire, statement: string): Promise<void> {
  try {
    await wire.run(statement);
  } catch (error) {
    if (numberOf(error) !== 1118) throw error;
    await wire.run('set session innodb_strict_mode = 0').catch((refused: unknown) => {
      throw refused instanceof OutsideError && refused.kind === 'auth' ? tooWide(refused) : refused;
    });
    await wire.run(statement);
  }
}

/** In MySQL not every user may decide that. */
function tooWide(cause: unknown): OutsideError {
  return new OutsideError('config', 'TOO_MANY_FIELDS', 'The longest row that the table could have does not fit a page of the server.', {
    hint: 'Choose fewer fields, or let the user make such a table all the same: GRANT SESSION_VARIABLES_ADMIN ON *.* TO the user.',
    cause,
  });
}

function markDefinition(): string {
  return `${quote(DELETED_AT)} datetime(6) null comment '${tagOf('timestamptz')}'`;
}

function definition(wire: Wire, field: Field, key: readonly string[], fields: readonly Field[]): string {
  const isKey = key.includes(field.name);
  const type = nativeType(wire, field, isKey) ?? typeFor(wire, field, isKey ? keyBytes(key, fields) : undefined);
  return `${quote(field.name)} ${type.replace('$null', field.nullable && !isKey ? 'null' : 'not null')}`;
}

/** How many bytes a text or binary field of the key may have, so that all fit into an index. */
function keyBytes(key: readonly string[], fields: readonly Field[]): number {
  const types = fields.filter((field) => key.includes(field.name)).map((field) => field.type);
  const long = types.filter((type) => type === 'text' || type === 'binary' || type === 'json').length;
  return Math.floor((INDEX_BYTES - (types.length - long) * 40) / Math.max(1, long));
}

/** The type of a column that holds every value of the field. `$null` stands where null or not null belongs. */
function typeFor(wire: Wire, field: Field, bytesOfKey: number | undefined): string {
  switch (field.type) {
    case 'text':
      return `${bytesOfKey === undefined ? 'longtext' : `varchar(${Math.min(768, Math.floor(bytesOfKey / 4))})`} ${exactCollation(wire)} $null`;
    case 'json':
      return wire.isMariaDb
        ? 'json $null'
        : `longtext ${exactCollation(wire)} $null comment '${tagOf('json')}' check (json_valid(${quote(field.name)}))`;
    case 'binary':
      return `${bytesOfKey === undefined ? 'longblob' : `varbinary(${bytesOfKey})`} $null`;
    case 'int64':
      return 'bigint $null';
    case 'decimal': {
      const { precision = 0, scale = 0 } = field;
      const fits = precision >= 1 && precision <= 65 && scale >= 0 && scale <= 30 && scale <= precision;
      return fits ? `decimal(${precision},${scale}) $null` : `decimal(65,30) $null comment '${tagOf('decimal')}'`;
    }
    case 'float64':
      return 'double $null';
    case 'boolean':
      return 'tinyint(1) $null';
    case 'date':
      return 'date $null';
    case 'time':
      return 'time(6) $null';
    case 'timestamp':
      return 'datetime(6) $null';
    case 'timestamptz':
      // A `timestamp` ends in 2038; a `datetime` in UTC does not, and the comment says what it is.
      return `datetime(6) $null comment '${tagOf('timestamptz')}'`;
    default:
      return hasUuid(wire) ? 'uuid $null' : `char(36) character set ascii collate ascii_bin $null comment '${tagOf('uuid')}'`;
  }
}

function hasUuid(wire: Wire): boolean {
  const [major = 0, minor = 0] = wire.version.split('.').map(Number);
  return wire.isMariaDb && (major > 10 || (major === 10 && minor >= 7));
}

// What these say in another system is no narrower than here, so that nothing is lost when the field comes from there.
const SAME_AGAIN =
  /^(?:(?:varchar|char|varbinary|binary)\(\d+\)|(?:tiny|small|medium|big)?int(?:\(\d+\))?(?: unsigned)?|decimal\(\d+,\d+\)|year(?:\(4\))?|enum\('.*'\)|set\('.*'\)|(?:medium|tiny)(?:text|blob)|inet6|inet4)$/;

/** The field's own type, when it comes from a MySQL and means here what it meant there. */
function nativeType(wire: Wire, field: Field, isKey: boolean): string | undefined {
  const native = field.native ?? '';
  if (!SAME_AGAIN.test(native) || (native.startsWith('inet') && !hasUuid(wire))) return undefined;
  const dataType = /^[a-z0-9]+/.exec(native)?.[0] ?? '';
  const column = {
    name: field.name,
    dataType,
    columnType: native,
    nullable: true,
    characterSet: null,
    collation: null,
    comment: '',
    extra: '',
    isJson: false,
  };
  const { field: again, writing } = typed(column, { tinyint1: field.type === 'boolean' ? 'boolean' : 'integer' });
  if (again.type !== field.type) return undefined;
  const length = Number(/\((\d+)\)/.exec(native)?.[1] ?? 0);
  if (isKey && (/(text|blob)$/.test(dataType) || (field.type === 'text' && length > 191))) return undefined;
  // A row of fixed and variable columns has at most 64 KB.
  if (length > 4000 && (field.type === 'text' || field.type === 'binary')) return undefined;
  const isText = field.type === 'text' && !dataType.startsWith('inet');
  return `${native}${isText || writing === 'enum' ? ` ${exactCollation(wire)}` : ''} $null`;
}
