import { printable } from '../../../lib/check.ts';
import { repeatedMember } from '../../../lib/json-text/json-repeats.ts';
import { parseExactly } from '../../../lib/exact-json.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { megabytes } from '../../../outside/http/words.ts';
import { FoundRecord } from './found-record.ts';
import type { Path } from './paths.ts';

const [QUOTE, BACKSLASH, COMMA, LETTER_N] = [0x22, 0x5c, 0x2c, 0x6e];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const MAX_DEPTH = 512;
const MAX_NAME = 100;
const MAX_ENVELOPE = 4 * 1024 * 1024;

/** An object or a list of the envelope that is still open. */
interface Level {
  isList: boolean;
  /** The member or the index that we are in. */
  name: string;
  index: number;
  expectsName: boolean;
}

/**
 * Takes the records out of a JSON text while it arrives: one record at a time, however long the text is. What lies around
 * them, the envelope, is small; it tells where the next page is.
 */
export class RecordScanner {
  readonly #path: Path;
  readonly #levels: Level[] = [];
  /** `between`: in the list of records, but in none of them. */
  #mode: 'envelope' | 'between' | 'record' = 'envelope';
  #started = false;
  #inString = false;
  #isEscaped = false;
  #chunk: Buffer = Buffer.alloc(0);
  /** Where what is being collected begins in the chunk. */
  #from = 0;
  readonly #envelope: Buffer[] = [];
  #envelopeSize = 0;
  #name: Buffer[] | undefined;
  #nameFrom = 0;
  #record: Buffer[] = [];
  #recordSize = 0;
  #depth = 0;
  #deepest = 0;
  /** The record is the value itself rather than an entry of a list. */
  #isSingle = false;
  /** What may come next in the list: a value or the end, a value, or a comma or the end. */
  #expects: 'first' | 'value' | 'comma' = 'first';

  constructor(path: Path) {
    this.#path = path;
  }

  /** Takes more of the text and gives the records that are complete. */
  *push(chunk: Buffer): Generator<FoundRecord> {
    this.#chunk = chunk;
    this.#nameFrom = 0;
    this.#from = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isWithin()) {
        i = this.#throughRecord(i);
        if (this.#isWithin()) break;
        yield this.#take(i);
        i--;
        continue;
      }
      if (this.#inString) {
        i = this.#endOfString(i);
        continue;
      }
      const byte = chunk[i] as number;
      if (this.#mode === 'record') {
        if (!endsScalar(byte)) {
          this.#inRecord(byte);
          continue;
        }
        yield this.#take(i);
      }
      if (isSpace(byte)) continue;
      if (this.#isBetween()) this.#between(byte, i);
      else this.#inEnvelope(byte, i);
    }
    if (this.#name) this.#name.push(chunk.subarray(this.#nameFrom));
    this.#keep(chunk.length);
  }

  /** The text has ended: answers what lies around the records. */
  finish(): unknown {
    if (!this.#started || this.#levels.length > 0 || this.#mode !== 'envelope')
      throw new OutsideError('transient', 'JSON_TRUNCATED', 'The answer breaks off in the middle of its JSON.', {
        hint: 'Something between Syncline and the API may cut long answers off; ask for smaller pages.',
      });
    const text = Buffer.concat(this.#envelope).toString('utf8');
    let envelope: unknown;
    try {
      envelope = parseExactly(text);
    } catch {
      throw notJson();
    }
    demandOnce(text, envelope);
    return envelope;
  }

  /** Where the string ends that we are in, or the chunk. */
  #endOfString(from: number): number {
    const chunk = this.#chunk;
    let isEscaped = this.#isEscaped;
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        this.#isEscaped = false;
        if (this.#name) this.#endName(i + 1);
        return i;
      }
    }
    this.#isEscaped = isEscaped;
    return chunk.length;
  }

  /** In a record that is an object or a list. */
  #isWithin(): boolean {
    return this.#mode === 'record' && this.#depth > 0;
  }

  /** Goes on to behind the end of the record, or of the chunk. Nearly every byte passes here, so it works on what is at hand. */
  #throughRecord(from: number): number {
    const chunk = this.#chunk;
    const { length } = chunk;
    let [depth, deepest] = [this.#depth, this.#deepest];
    let i = this.#inString ? this.#endOfString(from) + 1 : from;
    for (; i < length && depth > 0; i++) {
      const byte = chunk[i] as number;
      if (byte === QUOTE) {
        i++;
        while (i < length && chunk[i] !== QUOTE) i += chunk[i] === BACKSLASH ? 2 : 1;
        if (i < length) continue;
        this.#inString = true;
        this.#isEscaped = i > length;
      }
      // An opening bracket and an opening brace are the same but for one bit, and so are those that close.
      else if ((byte | 0x20) === OPEN) deepest = Math.max(deepest, ++depth);
      else if ((byte | 0x20) === CLOSE) depth--;
    }
    [this.#depth, this.#deepest] = [depth, deepest];
    return Math.min(i, length);
  }

  #isBetween(): boolean {
    return this.#mode === 'between';
  }

  #inEnvelope(byte: number, i: number): void {
    const level = this.#levels.at(-1);
    const isOpening = byte === OPEN || byte === OPEN_LIST;
    // The whole text may be `null`, which some servers write for a list without entries.
    if (!level && !isOpening && !this.#started && byte !== LETTER_N) throw notJson();
    this.#started = true;
    if (isOpening) this.#open(byte, i);
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#levels.pop();
    else if (byte === QUOTE) {
      this.#inString = true;
      if (level?.expectsName) {
        this.#name = [];
        this.#nameFrom = i;
      }
    } else if (byte === COMMA && level) {
      if (level.isList) level.name = String(++level.index);
      else level.expectsName = true;
    }
  }

  #open(byte: number, i: number): void {
    const isTarget = this.#levels.length === this.#path.length && this.#levels.every(({ name }, at) => name === this.#path[at]);
    if (!isTarget) {
      if (this.#levels.length >= MAX_DEPTH) throw notJson();
      this.#levels.push({ isList: byte === OPEN_LIST, name: '0', index: 0, expectsName: byte === OPEN });
      return;
    }
    this.#isSingle = byte === OPEN;
    if (this.#isSingle) {
      this.#keep(i);
      this.#begin(byte, i);
      return;
    }
    this.#keep(i + 1);
    this.#mode = 'between';
    this.#expects = 'first';
  }

  #between(byte: number, i: number): void {
    if (byte === CLOSE_LIST && this.#expects !== 'value') {
      this.#mode = 'envelope';
      this.#from = i;
    } else if (byte === COMMA && this.#expects === 'comma') this.#expects = 'value';
    else if (this.#expects === 'comma' || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE) throw notJson();
    else this.#begin(byte, i);
  }

  #begin(byte: number, i: number): void {
    this.#mode = 'record';
    this.#from = i;
    this.#depth = 0;
    this.#deepest = 0;
    this.#inRecord(byte);
  }

  #inRecord(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN || byte === OPEN_LIST) this.#deepest = this.#depth = 1;
  }

  #take(to: number): FoundRecord {
    const isTooDeep = this.#deepest > MAX_DEPTH;
    let found: FoundRecord;
    if (this.#record.length === 0) {
      demandSize(to - this.#from);
      found = new FoundRecord(this.#chunk, this.#from, to, isTooDeep);
      this.#from = to;
    } else {
      this.#keep(to);
      const text = Buffer.concat(this.#record);
      found = new FoundRecord(text, 0, text.length, isTooDeep);
    }
    this.#record = [];
    this.#recordSize = 0;
    this.#expects = 'comma';
    this.#mode = this.#isSingle ? 'envelope' : 'between';
    if (this.#isSingle) this.#add(Buffer.from('{}'));
    return found;
  }

  /** Puts what was collected in this chunk where it belongs. */
  #keep(to: number): void {
    const part = this.#chunk.subarray(this.#from, to);
    this.#from = to;
    if (part.length === 0 || this.#mode === 'between') return;
    if (this.#mode === 'envelope') {
      this.#add(part);
      return;
    }
    this.#recordSize += part.length;
    demandSize(this.#recordSize);
    this.#record.push(part);
  }

  #add(part: Buffer): void {
    this.#envelopeSize += part.length;
    if (this.#envelopeSize > MAX_ENVELOPE)
      throw new OutsideError(
        'config',
        'RESPONSE_TOO_LARGE',
        `The answer holds more than ${megabytes(MAX_ENVELOPE)} MB besides its records.`,
        {
          hint: 'Say where the records are with `records`.',
        },
      );
    this.#envelope.push(part);
  }

  #endName(to: number): void {
    const text = Buffer.concat([...(this.#name ?? []), this.#chunk.subarray(this.#nameFrom, to)]).toString('utf8');
    this.#name = undefined;
    const level = this.#levels.at(-1);
    if (!level) return;
    level.expectsName = false;
    try {
      level.name = JSON.parse(text) as string;
    } catch {
      throw notJson();
    }
  }
}

function demandSize(bytes: number): void {
  if (bytes > MAX_ROW_BYTES)
    throw new OutsideError('data', 'ROW_TOO_LARGE', `The API sent a record of more than ${megabytes(MAX_ROW_BYTES)} MB.`, {
      hint: 'Ask the API to leave large fields out of its records.',
    });
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_LIST || byte === CLOSE || isSpace(byte);
}

/**
 * Refuses an answer in which a member is given twice. Only the last of them is seen in what was parsed: `errors` that are followed by others,
 * without any, would be a success.
 */
export function demandOnce(text: string, parsed: unknown): void {
  const repeated = repeatedMember(text, parsed);
  if (repeated === undefined) return;
  const name = printable(repeated).slice(-MAX_NAME);
  throw new OutsideError('config', 'NOT_JSON', `The answer gives "${name}" more than once, so nobody can tell which one counts.`, {
    hint: 'This is a fault of the API: tell those who run it.',
  });
}

export function notJson(): OutsideError {
  return new OutsideError('config', 'NOT_JSON', 'The answer is not valid JSON.', {
    hint: 'Check the path: the stream has to be answered with JSON.',
  });
}
