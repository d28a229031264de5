/** A spreadsheet takes text that begins with one of these for a formula, and would run what a customer has written. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One cell. Text that would be a formula gets an apostrophe in front, by which a spreadsheet knows that it is text. */
function cell(value: string | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines as RFC 4180 has them. */
export function csvLines(rows: readonly (readonly (string | null | undefined)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** By this mark spreadsheets know that the file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
