import type { CanonicalType, Row, Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { toJsonText } from '../../json-values.ts';
import type { CsvDialect } from '../csv/dialect.ts';

/** Types whose values never hold a usual delimiter, a quote or a line end. */
const PLAIN: ReadonlySet<CanonicalType> = new Set(['int64', 'decimal', 'float64', 'date', 'time', 'timestamp', 'timestamptz', 'uuid']);

/** Makes the cells of one dialect; booleans are written as people and spreadsheets do. */
export function csvWriter(
  { delimiter, quote, escape, nulls }: CsvDialect,
  fields: readonly Field[],
): { header: string; row: (row: Row) => string } {
  const [sign, mark] = [String.fromCharCode(delimiter), quote === -1 ? '' : String.fromCharCode(quote)];
  const spellings = nulls.filter((text) => text !== '');
  const none = nulls.includes('') || nulls.length === 0 ? '' : (nulls[0] as string);
  const special = new RegExp(`[\\r\\n${[sign, mark].map((one) => one.replace(/[\\^\-\]]/, '\\$&')).join('')}]`);
  const text = (value: string): string => {
    if (mark === '' || (value !== '' && !special.test(value) && !spellings.includes(value))) return value;
    const escaped =
      escape === 'double' ? value.replaceAll(mark, mark + mark) : value.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`);
    return mark + escaped + mark;
  };
  const isUsual = ',;\t|'.includes(sign) && `"'`.includes(mark) && spellings.length === 0;
  const cells = fields.map(({ type }): ((value: string) => string) => {
    if (type === 'boolean') return (value) => text(value === 't' ? 'true' : 'false');
    return isUsual && PLAIN.has(type) ? (value) => value : text;
  });
  const row = (values: Row): string => {
    let line = '';
    for (let at = 0; at < cells.length; at++) {
      const value = values[at] ?? null;
      if (at > 0) line += sign;
      line += value === null ? none : (cells[at] as (value: string) => string)(value);
    }
    return `${line}\n`;
  };
  return { header: `${fields.map((field) => text(field.name)).join(sign)}\n`, row };
}

/** Whether a value would be read as something else: without quotes, or where nothing means null. */
export function csvLacks({ delimiter, quote, nulls }: CsvDialect, value: Value): boolean {
  if (value === null) return nulls.length === 0;
  return quote === -1 && (value === '' || value.includes(String.fromCharCode(delimiter)) || /[\r\n]/.test(value) || nulls.includes(value));
}

/** One object in a line; members that are null are there, so that every line shows all fields. */
export function jsonlWriter(fields: readonly Field[]): (row: Row) => string {
  const names = fields.map((field) => JSON.stringify(field.name));
  return (row) => `{${row.map((value, at) => `${names[at]}:${toJsonText((fields[at] as Field).type, value)}`).join(',')}}\n`;
}
