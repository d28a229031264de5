import { StringDecoder } from 'node:string_decoder';

/** Rows of a CSV text while it arrives (RFC 4180). A value without quotes that is empty is null. */
export class ExportedCsv {
  readonly #separator: string;
  readonly #decoder = new StringDecoder('utf8');
  #row: (string | null)[] = [];
  #value = '';
  /** `quote`: behind a quote within quotes, which may be the first of two. */
  #state: 'start' | 'plain' | 'quoted' | 'quote' = 'start';
  #isFirst = true;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** Characters of a row that is not complete. */
  get held(): number {
    return this.#value.length + this.#row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  }

  push(chunk: Buffer): (string | null)[][] {
    let text = this.#decoder.write(chunk);
    if (this.#isFirst && text !== '') {
      text = text.replace(/^\ufeff/, '');
      this.#isFirst = false;
    }
    const rows: (string | null)[][] = [];
    for (const letter of text) this.#take(letter, rows);
    return rows;
  }

  finish(): (string | null)[][] {
    const rows: (string | null)[][] = [];
    for (const letter of this.#decoder.end()) this.#take(letter, rows);
    if (this.#state !== 'start' || this.#row.length > 0) this.#endRow(rows);
    return rows;
  }

  #take(letter: string, rows: (string | null)[][]): void {
    if (this.#state === 'quoted') {
      if (letter === '"') this.#state = 'quote';
      else this.#value += letter;
      return;
    }
    if (letter === '"' && this.#state === 'quote') {
      this.#value += '"';
      this.#state = 'quoted';
    } else if (letter === '"' && this.#state === 'start') this.#state = 'quoted';
    else if (letter === this.#separator) this.#endValue();
    else if (letter === '\n') {
      if (this.#state !== 'start' || this.#row.length > 0) this.#endRow(rows);
    } else if (letter !== '\r') {
      this.#value += letter;
      if (this.#state === 'start') this.#state = 'plain';
    }
  }

  #endValue(): void {
    this.#row.push(this.#state === 'start' ? null : this.#value);
    this.#value = '';
    this.#state = 'start';
  }

  #endRow(rows: (string | null)[][]): void {
    this.#endValue();
    rows.push(this.#row);
    this.#row = [];
  }
}
