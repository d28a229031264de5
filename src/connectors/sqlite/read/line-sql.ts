import type { CanonicalType } from '../../canonical.ts';
import { quote } from '../database/open.ts';

// SQLite can put the values of a whole page into one blob, so that none of them ever becomes an object of ours. It spells them so that no content can be
// taken for what is around it: a text has its length in bytes in front of it, anything else ends with a semicolon and holds none. Whether a value is one
// of its type is looked at by `page-lines.ts`, which is quicker than to let SQLite do it. A sign that is no value (`!`) stands for a kind that the type
// does not have: then the page is read again with the care that it needs.

/** Where a value is not of the kind that is looked for. */
const OTHERWISE = (column: string): string => `iif(${column} is null, '', '!')`;

// To SQLite all numbers come before all texts, and these before all blobs, so that a comparison tells the kind, for less than `typeof` takes.
const TEXT = (c: string): string[] => [`iif(${c} < x'' and ${c} >= '', octet_length(${c}), ${OTHERWISE(c)})`, `':'`, c];
/** A number that stands there is no such text, and is seen for what it is. */
const WRITTEN = (c: string): string[] => [`iif(${c} < x'', octet_length(${c}), ${OTHERWISE(c)})`, `':'`, c];
const NUMBER = (c: string): string[] => [`iif(${c} < '', ${c}, ${OTHERWISE(c)})`, `';'`];
/** All digits that it takes to read the same double again. */
const REAL = (c: string): string => `format('%!.17g', ${c})`;

/** How the values of a column are spelled; what is joined has no nulls, as these are left out. */
const SPELLED: Readonly<Partial<Record<CanonicalType, (column: string) => string[]>>> = {
  text: TEXT,
  date: WRITTEN,
  time: WRITTEN,
  timestamp: WRITTEN,
  timestamptz: WRITTEN,
  uuid: WRITTEN,
  int64: NUMBER,
  boolean: NUMBER,
  binary: (c) => [`iif(${c} >= x'', 'x' || lower(hex(${c})), ${OTHERWISE(c)})`, `';'`],
  float64: (c) => [`case typeof(${c}) when 'real' then ${REAL(c)} when 'integer' then ${c} else ${OTHERWISE(c)} end`, `';'`],
  decimal: (c) => [
    `case typeof(${c}) when 'text' then octet_length(${c}) || ':' || ${c} when 'integer' then ${c} || ';' when 'real' then ${REAL(c)} || ';'
       else ${OTHERWISE(c)} || ';' end`,
  ],
};

/** A function takes no more than that. */
const MOST_ARGUMENTS = 900;

/** All values of a row; undefined when one of the types is read with care only. */
export function rowSql(names: readonly string[], types: readonly CanonicalType[]): string | undefined {
  const values = names.map((name, at) => SPELLED[types[at] as CanonicalType]?.(quote(name)));
  if (values.includes(undefined)) return undefined;
  const all = values.flatMap((parts) => parts ?? []);
  return all.length > MOST_ARGUMENTS ? undefined : `concat(${all.join(', ')})`;
}
