import type { Field } from '../../contract.ts';
import { DELETED_AT } from '../../marks.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { tagOf, typed } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';
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

export function markDefinition(): string {
  return `${quote(DELETED_AT)} datetime(6) null comment '${tagOf('timestamptz')}'`;
}

/** What a column has beside its type. */
export interface ColumnExtras {
  /** How many bytes it may have, so that it fits into the indexes that it is in. */
  readonly bytes?: number;
  /** The most characters of a text. */
  readonly characters?: number;
  readonly notNull?: boolean;
  /** Behind NULL or NOT NULL, such as a default. */
  readonly rest?: string;
  readonly comment?: string;
}

export function definition(wire: Wire, field: Field, key: readonly string[], fields: readonly Field[], extras: ColumnExtras = {}): string {
  const isKey = key.includes(field.name);
  const bytes = isKey ? keyBytes(key, fields) : extras.bytes;
  const bounded =
    extras.characters !== undefined && field.type === 'text' && (bytes === undefined || extras.characters * 4 <= bytes)
      ? `varchar(${extras.characters}) ${exactCollation(wire)} $null`
      : undefined;
  const type = nativeType(wire, field, bytes !== undefined) ?? bounded ?? typeFor(wire, field, bytes);
  const isFilled = !field.nullable || isKey || extras.notNull === true;
  const made = `${quote(field.name)} ${type.replace('$null', () => `${isFilled ? 'not null' : 'null'}${extras.rest ? ` ${extras.rest}` : ''}`)}`;
  return commented(made, extras.comment);
}

/** Our own comment says what the type alone cannot; that of a person comes behind it. */
function commented(made: string, comment: string | undefined): string {
  if (comment === undefined || comment === '') return made;
  const tagged = / comment '(\[syncline:[a-z]+\])'/.exec(made);
  return tagged
    ? made.replace(tagged[0], () => ` comment ${commentLiteral(`${tagged[1]} ${comment}`)}`)
    : `${made} comment ${commentLiteral(comment)}`;
}

/** A text where no other literal is taken. */
export function commentLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
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
