import { isUtf8 } from 'node:buffer';
import { isJsonObject, parseExactly } from '../../../lib/exact-json.ts';
import type { Reject } from '../../batch.ts';
import type { CanonicalType, Row } from '../../canonical.ts';
import { nestsTooDeeply } from '../../field-limits.ts';
import { fromJson } from '../../json-values.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { valueInWords } from '../../value-in-words.ts';
import { LF } from '../csv/dialect.ts';
import { tooLarge } from '../csv/lines.ts';
import { rejectOf } from './reject.ts';

export interface JsonlPlan {
  /** The members asked for, in order, with their types. */
  readonly fields: readonly { readonly name: string; readonly type: CanonicalType }[];
  /** All members that are known; a row with another one is rejected. Undefined: others are left out. */
  readonly known: ReadonlySet<string> | undefined;
  /** Fields that are not members: what stands there, or `line` for the line number. */
  readonly constants: ReadonlyMap<number, string>;
  readonly batchBytes: number;
}

const MAX_REJECTS = 1000;

/** JSON Lines to rows, from a window of bytes, as `CsvLines` does it. */
export class JsonlLines {
  rejects: Reject[] = [];
  line: number;
  lastIsOpen = false;
  lastBegin = 0;
  readonly #plan: JsonlPlan;
  #rows: Row[] = [];
  #bytes = 0;

  constructor(plan: JsonlPlan, line: number) {
    this.#plan = plan;
    this.line = line;
  }

  get rows(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#plan.batchBytes || this.rejects.length >= MAX_REJECTS;
  }

  take(): { rows: Row[]; count: number; rejects: Reject[] } {
    const taken = { rows: this.#rows, count: this.#rows.length, rejects: this.rejects };
    this.#rows = [];
    this.#bytes = 0;
    this.rejects = [];
    return taken;
  }

  parse(input: Buffer, from: number, to: number, isEnd: boolean, mayBeBroken: boolean, most = Number.POSITIVE_INFINITY): number {
    let at = from;
    while (at < to && !this.isFull && this.#rows.length < most) {
      const found = input.indexOf(LF, at);
      const isOpen = found === -1 || found >= to;
      if (isOpen && !isEnd) return at;
      const end = isOpen ? to : found;
      if (end - at > MAX_ROW_BYTES) throw tooLarge(this.line);
      this.#bytes += end - at;
      this.#row(input.subarray(at, end), mayBeBroken);
      this.lastIsOpen = isOpen;
      this.lastBegin = at;
      this.line++;
      at = isOpen ? to : end + 1;
    }
    return at;
  }

  #row(bytes: Buffer, mayBeBroken: boolean): void {
    const text = bytes.toString();
    if (text.trim() === '') return;
    if (mayBeBroken && !isUtf8(bytes)) return this.#putAside(text, 'holds bytes that are no text in this encoding');
    if (nestsTooDeeply(text)) return this.#putAside(text, 'is nested too deeply');
    let object: unknown;
    try {
      object = parseExactly(text);
    } catch {
      return this.#putAside(text, 'is not valid JSON');
    }
    if (!isJsonObject(object)) return this.#putAside(text, 'is JSON, but not an object');
    const members = object;
    const { fields, known, constants } = this.#plan;
    if (known) {
      for (const name of Object.keys(members)) {
        if (!known.has(name)) return this.#putAside(text, 'is a member that was not in the rows that the fields were told from', name);
      }
    }
    const row: (string | null)[] = [];
    for (let at = 0; at < fields.length; at++) {
      const { name, type } = fields[at] as { name: string; type: CanonicalType };
      const constant = constants.get(at);
      if (constant !== undefined) {
        row.push(constant === 'line' ? String(this.line) : constant);
        continue;
      }
      const value = Object.hasOwn(members, name) ? fromJson(type, members[name]) : null;
      if (value === undefined) return this.#putAside(text, `is not of the type ${type}: ${valueInWords(members[name])}`, name);
      row.push(value);
    }
    // Half a surrogate pair can be written in JSON, but is no text.
    if (/\\u[dD]/.test(text) && row.some((value) => value !== null && !value.isWellFormed()))
      return this.#putAside(text, 'holds half of a surrogate pair');
    this.#rows.push(row);
    return undefined;
  }

  #putAside(text: string, reason: string, field?: string): void {
    this.rejects.push(rejectOf(this.line, [['raw', text]], reason, field));
  }
}
