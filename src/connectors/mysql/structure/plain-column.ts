import type { PlainColumn, PlainDefault } from '../../structure.ts';
import type { TypedColumn } from '../catalogue/columns.ts';

/** What the catalogue tells of a column beside its type. */
export interface ColumnAbout {
  /** The default: an expression in MariaDB, in MySQL the value itself unless `extra` says otherwise. */
  readonly value: string | null;
  /** The most characters. */
  readonly length: string | null;
  /** The next number of the table. */
  readonly next: string | null;
  readonly isMariaDb: boolean;
}

export function plainColumn(column: TypedColumn, about: ColumnAbout): PlainColumn {
  const isNumbered = /auto_increment/i.test(column.extra);
  const comment = column.comment.replace(/\[syncline:[a-z]+\] ?/, '');
  return {
    name: column.name,
    notNull: !column.nullable,
    default: plainDefault(column, about) ?? null,
    isNumbered,
    next: isNumbered ? about.next : null,
    maxLength: /^(?:var)?char$/.test(column.dataType) && about.length !== null ? Number(about.length) : null,
    comment: comment === '' ? null : comment,
  };
}

const NOW = /^(?:current_timestamp|now|localtimestamp|utc_timestamp)(?:\(\d?\))?$/i;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** Undefined where there is none, or none that others understand. */
export function plainDefault(column: TypedColumn, { value, isMariaDb }: ColumnAbout): PlainDefault | undefined {
  if (value === null || /generated always|stored generated|virtual generated/i.test(column.extra) || (isMariaDb && value === 'NULL'))
    return undefined;
  if (NOW.test(value)) return { kind: 'now' };
  const text = isMariaDb ? literalOf(value) : /default_generated/i.test(column.extra) ? undefined : value;
  const number = isMariaDb ? value : text;
  if (column.field.type === 'boolean') {
    const bit = /^(?:b'([01])'|([01]))$/.exec(number ?? '');
    return bit ? { kind: 'boolean', text: (bit[1] ?? bit[2]) === '1' ? 't' : 'f' } : undefined;
  }
  if (number !== undefined && NUMBER.test(number) && (isMariaDb || NUMERIC.has(column.field.type))) return { kind: 'number', text: number };
  if (text === undefined || BYTES.has(column.field.type)) return undefined;
  return { kind: 'text', text };
}

const NUMERIC: ReadonlySet<string> = new Set(['int64', 'decimal', 'float64']);
const BYTES: ReadonlySet<string> = new Set(['binary']);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', b: '\b', Z: '\x1a' };

/** The text of a literal, when it is one. */
function literalOf(expression: string): string | undefined {
  const inner = /^'((?:[^'\\]|\\[\s\S]|'')*)'$/.exec(expression)?.[1];
  return inner?.replaceAll(/\\([\s\S])|''/g, (_, letter: string | undefined) => (letter === undefined ? "'" : (ESCAPES[letter] ?? letter)));
}
