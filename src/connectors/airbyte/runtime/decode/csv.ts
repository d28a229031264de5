import { OutsideError } from '../../../../outside/errors.ts';
import { MAX_ROW_BYTES } from '../../../contract.ts';

export interface CsvOptions {
  encoding: string;
  delimiter: string;
  /** Values that stand for null. */
  nulls: ReadonlySet<string>;
}

/** Rows as objects: the first line has the names. */
export async function* csvRows(chunks: AsyncIterable<Buffer>, { encoding, delimiter, nulls }: CsvOptions): AsyncGenerator<unknown[]> {
  const scanner = new CsvScanner(delimiter);
  let names: string[] | undefined;
  for await (const rows of scanned(chunks, scanner, encoding)) {
    const records: unknown[] = [];
    for (const row of rows) {
      if (row.length === 1 && row[0] === '') continue;
      if (!names) {
        names = row;
        continue;
      }
      records.push(Object.fromEntries(names.map((name, index) => [name, valueOf(row[index], nulls)])));
    }
    if (records.length > 0) yield records;
  }
}

function valueOf(text: string | undefined, nulls: ReadonlySet<string>): string | null {
  return text === undefined || nulls.has(text) ? null : text;
}

async function* scanned(chunks: AsyncIterable<Buffer>, scanner: CsvScanner, encoding: string): AsyncGenerator<string[][]> {
  const decoder = decoderFor(encoding);
  for await (const chunk of chunks) yield scanner.push(decoder.decode(chunk, { stream: true }));
  yield scanner.push(decoder.decode());
  yield scanner.finish();
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding.replaceAll('_', '-'));
  } catch {
    throw new OutsideError('config', 'ENCODING_UNKNOWN', `The manifest has the encoding "${encoding}", which Syncline does not know.`, {
      field: 'manifest',
    });
  }
}

/** Cuts text into rows while it arrives. A quote within quotes is written twice. */
class CsvScanner {
  readonly #delimiter: string;
  #row: string[] = [];
  #value = '';
  #isQuoted = false;
  /** Right behind a quote that may have been the last. */
  #isEnding = false;
  #afterReturn = false;
  #size = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  push(text: string): string[][] {
    const rows: string[][] = [];
    for (const letter of text) {
      if (letter === '\n' && this.#afterReturn) {
        this.#afterReturn = false;
        continue;
      }
      this.#afterReturn = false;
      if (this.#isQuoted && !this.#isEnding) {
        if (letter === '"') this.#isEnding = true;
        else this.#add(letter);
      } else if (this.#isEnding && letter === '"') {
        this.#add('"');
        this.#isEnding = false;
      } else if (letter === this.#delimiter) this.#endValue();
      else if (letter === '\n' || letter === '\r') {
        this.#afterReturn = letter === '\r';
        rows.push(this.#endRow());
      } else if (letter === '"' && this.#value === '' && !this.#isQuoted) this.#isQuoted = true;
      else {
        // Text behind a closing quote belongs to the value.
        this.#isQuoted = false;
        this.#isEnding = false;
        this.#add(letter);
      }
    }
    return rows;
  }

  finish(): string[][] {
    return this.#row.length > 0 || this.#value !== '' || this.#isQuoted ? [this.#endRow()] : [];
  }

  #add(letter: string): void {
    this.#value += letter;
    if (++this.#size > MAX_ROW_BYTES)
      throw new OutsideError('data', 'ROW_TOO_LARGE', 'The API sent a row that never ends.', {
        hint: 'Check the delimiter and the quotes of the file.',
      });
  }

  #endValue(): void {
    this.#row.push(this.#value);
    this.#value = '';
    this.#isQuoted = false;
    this.#isEnding = false;
  }

  #endRow(): string[] {
    this.#endValue();
    const row = this.#row;
    this.#row = [];
    this.#size = 0;
    return row;
  }
}
