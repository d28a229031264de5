/** A spreadsheet takes text that begins with one of these for a formula, and would run what a customer has written. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** By this mark spreadsheets know that the file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** A line as RFC 4180 has it. Text that would be a formula gets an apostrophe in front, by which a spreadsheet knows that it is text. */
export function safeCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
