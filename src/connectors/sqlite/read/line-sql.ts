import type { CanonicalType } from '../../canonical.ts';
import { quote } from '../database/open.ts';

// SQLite can make the lines of a whole page itself, without a value ever becoming an object of ours. An expression gives a
// value as it stands in a line, or null where it is not certain that the value is canonical. Null becomes a byte that is no
// UTF-8, so that the page is seen to be bad, and is read again with the care that it needs. So these may refuse good values,
// but must not let a bad one through.

const TAB = 'char(9)';
// The function reads a text with or without a fraction, and gives it back in one way only: what differs is not certain.
// It knows an hour 24, which is none to others.
const MOMENT = (text: string): string => `datetime(${text}) is substr(${text}, 1, 19) and substr(${text}, 12, 2) < '24'`;
/** Behind the seconds there is nothing, or a point and up to six digits; `zone` is the length of what follows. */
const ENDS = (text: string, zone: number): string =>
  `(length(${text}) = ${19 + zone} or (length(${text}) between ${21 + zone} and ${26 + zone} and substr(${text}, 20, 1) = '.' and substr(${text}, ${-1 - zone}, 1) between '0' and '9'))`;

/** What to do with each kind of value that fits the type. */
const KINDS: Readonly<Partial<Record<CanonicalType, (column: string) => Readonly<Record<string, string>>>>> = {
  text: (c) => ({ text: escaped(c) }),
  int64: (c) => ({ integer: c }),
  boolean: (c) => ({ integer: `case ${c} when 1 then 't' when 0 then 'f' end` }),
  binary: (c) => ({ blob: `'\\\\x' || lower(hex(${c}))` }),
  float64: (c) => ({
    integer: c,
    real: `case when abs(${c}) > 1.7976931348623157e308 then iif(${c} > 0, 'Infinity', '-Infinity')
      when cast(${c} || '' as real) = ${c} then ${c} || '' else format('%!.17g', ${c}) end`,
  }),
  decimal: (c) => ({
    integer: c,
    real: `iif(cast(${c} || '' as real) = ${c} and ${c} || '' not glob '*[a-zA-Z]*', ${c} || '', null)`,
    text: `iif(${c} not glob '*[^0-9.-]*' and substr(${c}, -1) between '0' and '9' and instr(substr(${c}, 2), '-') = 0
      and instr(substr(${c}, ifnull(nullif(instr(${c}, '.'), 0), 999) + 1), '.') = 0, ${c}, null)`,
  }),
  date: (c) => ({ text: `iif(date(${c}) is ${c}, ${c}, null)` }),
  timestamp: (c) => ({ text: `iif(${MOMENT(c)} and ${ENDS(c, 0)}, ${c}, null)` }),
  timestamptz: (c) => ({
    text: `iif(substr(${c}, -6) = '+00:00' and ${MOMENT(c)} and ${ENDS(c, 6)}, substr(${c}, 1, length(${c}) - 3), null)`,
  }),
};

/** A whole row as a line without its end; undefined when SQLite cannot tell the values of one of the types. */
export function lineSql(names: readonly string[], types: readonly CanonicalType[]): string | undefined {
  const values = names.map((name, at) => {
    const column = quote(name);
    const kinds = KINDS[types[at] as CanonicalType]?.(column);
    if (!kinds) return undefined;
    const cases = Object.entries(kinds).map(([kind, value]) => `when '${kind}' then ${value}`);
    return `ifnull(case typeof(${column}) ${cases.join(' ')} when 'null' then '\\N' end, cast(x'ff' as text))`;
  });
  // A function takes no more than this.
  return values.includes(undefined) || values.length > 900 ? undefined : `concat_ws(${TAB}, ${values.join(', ')})`;
}

function escaped(column: string): string {
  const replaced = [`'\\', '\\\\'`, `${TAB}, '\\t'`, `char(10), '\\n'`, `char(13), '\\r'`].reduce(
    (text, pair) => `replace(${text}, ${pair})`,
    column,
  );
  const needs = [`'\\'`, TAB, 'char(10)', 'char(13)'].map((sign) => `instr(${column}, ${sign})`).join(' + ');
  return `iif(${needs}, ${replaced}, ${column})`;
}
