import { type CanonicalType, isCanonical } from '../../canonical.ts';
import { widen } from '../../json-values.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const EXPONENT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?\d{1,3}$/;
const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?`;
const DATE = new RegExp(`^${DAY}$`);
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/;
const TIMESTAMP = new RegExp(`^${DAY}[ T]${CLOCK}$`);
const ZONED = new RegExp(`^${DAY}[ T]${CLOCK}(?:Z|[+-]\\d{2}(?::?\\d{2})?)$`);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BINARY = /^\\x(?:[0-9a-f]{2})+$/;

/**
 * The narrowest type that a text is written in. It is stricter than what is accepted as a value: `007` and `+49` are codes
 * and telephone numbers, not numbers, and `t` is a letter.
 */
export function typeOfCell(text: string): CanonicalType {
  const first = text.charCodeAt(0);
  if ((first >= 0x30 && first <= 0x39) || first === 0x2d) {
    if (NUMBER.test(text)) return isCanonical('int64', text) ? 'int64' : 'decimal';
    if (EXPONENT.test(text)) return 'float64';
    if (DATE.test(text)) return 'date';
    if (TIMESTAMP.test(text)) return 'timestamp';
    if (ZONED.test(text)) return 'timestamptz';
    if (TIME.test(text)) return 'time';
  }
  if (UUID.test(text)) return 'uuid';
  if (/^(?:true|false)$/i.test(text)) return 'boolean';
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return 'float64';
  if (BINARY.test(text)) return 'binary';
  return /^[[{]/.test(text) && isCanonical('json', text) ? 'json' : 'text';
}

/** Collects the types of a column's values. */
export class ColumnGuess {
  #type: CanonicalType | undefined;

  add(text: string): void {
    if (this.#type === 'text') return;
    const type = typeOfCell(text);
    // A column is JSON only when every cell is: a number or a word among them shows that it is not meant so.
    const isMixed = this.#type !== undefined && (this.#type === 'json') !== (type === 'json');
    this.#type = isMixed ? 'text' : widen(this.#type, type);
  }

  /** A column without any value is text. */
  get type(): CanonicalType {
    return this.#type ?? 'text';
  }
}
