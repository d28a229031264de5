import type { Value } from '../../canonical.ts';
import type { LoggedValue } from '../../changes.ts';

// The messages of pgoutput, versions 1 and 2 of its protocol. By the second one, large transactions are sent in pieces while the server still reads them (early.ts).

/** Where the columns of a table go, by their place in the log; -1: nowhere. */
export interface ColumnPlaces {
  readonly row: Int32Array;
  readonly width: number;
  readonly key: Int32Array;
  readonly keyWidth: number;
}

export interface WalColumn {
  readonly name: string;
  /** It is in the log also before a change. */
  readonly isIdentity: boolean;
  readonly type: number;
  readonly modifier: number;
}

export interface WalRelation {
  readonly tag: 'relation';
  readonly relation: number;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly WalColumn[];
}

export type LogMessage =
  | { readonly tag: 'begin'; readonly lsn: bigint }
  | { readonly tag: 'commit'; readonly end: bigint; readonly at: number }
  | WalRelation
  | { readonly tag: 'insert'; readonly relation: number; readonly row: LoggedValue[] }
  /** `before` has the values of the key, when the log has them. */
  | { readonly tag: 'update'; readonly relation: number; readonly row: LoggedValue[]; readonly before: LoggedValue[] | undefined }
  | { readonly tag: 'delete'; readonly relation: number; readonly key: LoggedValue[] }
  | { readonly tag: 'truncate'; readonly relations: readonly number[] }
  /** What follows, up to its stop, is a piece of that transaction. */
  | { readonly tag: 'piece'; readonly transaction: number; readonly isFirst: boolean }
  | { readonly tag: 'piece stop' }
  | { readonly tag: 'piece commit'; readonly transaction: number; readonly end: bigint; readonly at: number }
  /** A part of the transaction, or all of it, is taken back. */
  | { readonly tag: 'piece abort'; readonly transaction: number };

/** What comes cannot be understood: the server is newer than we know, or something between has changed it. */
export class WalUnreadable extends Error {
  override readonly name = 'WalUnreadable';
}

const [BEGIN, COMMIT, RELATION, INSERT, UPDATE, DELETE, TRUNCATE] = Buffer.from('BCRIUDT');
const [PIECE, PIECE_STOP, PIECE_COMMIT, PIECE_ABORT] = Buffer.from('SEcA');
/** Within a piece these say first which transaction they are of, or which part of one. */
const OF_PIECES = new Set(Buffer.from('RIUDT'));
/** Sent for information: where a change came from, types that are not built in, messages of programs. */
const IGNORED = new Set(Buffer.from('OYM'));
const [NULL, UNCHANGED, TEXT, NEW, OLD_KEY, OLD_ROW] = Buffer.from('nutNKO');
/** The server counts from 2000 on, in microseconds. */
const EPOCH = 946_684_800_000;
/** Up to this length a text is put together faster than it is fetched from outside JavaScript. */
const SHORT = 16;

/** Reads messages, one after the other, from memory that is used again after: nothing that it answers lies in there. */
export class MessageReader {
  readonly #placesOf: (relation: number) => ColumnPlaces | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #isInPiece = false;

  /** What is of a relation without places is left out. */
  constructor(placesOf: (relation: number) => ColumnPlaces | undefined) {
    this.#placesOf = placesOf;
  }

  /** Of the message that `plainKind` was asked of last: its table, and where its row begins. */
  relation = 0;
  rowAt = 0;

  /** Whether a row was inserted, or updated without a word of what it was before. */
  plainKind(bytes: Buffer, start: number): 'insert' | 'update' | undefined {
    const tag = bytes[start];
    if (tag !== INSERT && tag !== UPDATE) return undefined;
    const at = start + (this.#isInPiece ? 5 : 1);
    if (bytes[at + 4] !== NEW) return undefined;
    this.relation = bytes.readUInt32BE(at);
    this.rowAt = at + 5;
    return tag === INSERT ? 'insert' : 'update';
  }

  /** The message that lies there; undefined when it concerns nobody. */
  read(bytes: Buffer, start: number, end: number): LogMessage | undefined {
    this.#bytes = bytes;
    this.#at = start + 1;
    const tag = bytes[start] as number;
    if (this.#isInPiece && OF_PIECES.has(tag)) this.#at += 4;
    const message = this.#message(tag);
    if (message !== undefined && this.#at !== end)
      throw new WalUnreadable(`A message of the log ends at ${this.#at - start} of ${end - start} bytes.`);
    return message;
  }

  #message(tag: number): LogMessage | undefined {
    switch (tag) {
      case INSERT:
        return this.#insert();
      case UPDATE:
        return this.#update();
      case DELETE:
        return this.#delete();
      case BEGIN: {
        const lsn = this.#uint64();
        this.#at += 12;
        return { tag: 'begin', lsn };
      }
      case COMMIT: {
        this.#at += 9;
        const end = this.#uint64();
        return { tag: 'commit', end, at: EPOCH + Number(this.#uint64()) / 1000 };
      }
      case RELATION:
        return this.#relation();
      case TRUNCATE: {
        const count = this.#uint32();
        this.#at++;
        return { tag: 'truncate', relations: Array.from({ length: count }, () => this.#uint32()) };
      }
      case PIECE:
        this.#isInPiece = true;
        return { tag: 'piece', transaction: this.#uint32(), isFirst: this.#bytes[this.#at++] === 1 };
      case PIECE_STOP:
        this.#isInPiece = false;
        return { tag: 'piece stop' };
      case PIECE_COMMIT: {
        const transaction = this.#uint32();
        this.#at += 9;
        const end = this.#uint64();
        return { tag: 'piece commit', transaction, end, at: EPOCH + Number(this.#uint64()) / 1000 };
      }
      case PIECE_ABORT: {
        const transaction = this.#uint32();
        this.#at += 4;
        return { tag: 'piece abort', transaction };
      }
      default:
        if (IGNORED.has(tag)) return undefined;
        throw new WalUnreadable(`The log has a message "${String.fromCharCode(tag)}", which is not known.`);
    }
  }

  #insert(): LogMessage | undefined {
    const relation = this.#uint32();
    const places = this.#placesOf(relation);
    if (!places) return undefined;
    this.#expect(NEW as number);
    return { tag: 'insert', relation, row: this.#tuple(places.row, places.width) };
  }

  #update(): LogMessage | undefined {
    const relation = this.#uint32();
    const places = this.#placesOf(relation);
    if (!places) return undefined;
    const kind = this.#bytes[this.#at++];
    if (kind === NEW) return { tag: 'update', relation, row: this.#tuple(places.row, places.width), before: undefined };
    if (kind !== OLD_KEY && kind !== OLD_ROW) throw new WalUnreadable('An update in the log has no row.');
    const old = this.#at;
    const before = this.#tuple(places.key, places.keyWidth);
    this.#expect(NEW as number);
    const row = this.#tuple(places.row, places.width);
    // What has not changed is not sent again where it is large. But it may have been sent as what was there before.
    if (row.includes(undefined)) {
      const end = this.#at;
      this.#at = old;
      const whole = this.#tuple(places.row, places.width);
      this.#at = end;
      for (const [column, place] of places.row.entries())
        if (place !== -1 && row[place] === undefined && (kind === OLD_ROW || places.key[column] !== -1)) row[place] = whole[place];
    }
    return { tag: 'update', relation, row, before };
  }

  #delete(): LogMessage | undefined {
    const relation = this.#uint32();
    const places = this.#placesOf(relation);
    if (!places) return undefined;
    const kind = this.#bytes[this.#at++];
    if (kind !== OLD_KEY && kind !== OLD_ROW) throw new WalUnreadable('A delete in the log has no row.');
    return { tag: 'delete', relation, key: this.#tuple(places.key, places.keyWidth) };
  }

  #relation(): WalRelation {
    const relation = this.#uint32();
    const [schema, name] = [this.#string(), this.#string()];
    // How rows are told apart: each column says it, too.
    this.#at++;
    const count = this.#uint16();
    const columns = Array.from({ length: count }, () => {
      const isIdentity = ((this.#bytes[this.#at++] as number) & 1) === 1;
      return { name: this.#string(), isIdentity, type: this.#uint32(), modifier: this.#uint32() | 0 };
    });
    // That of PostgreSQL itself is spelled as nothing.
    return { tag: 'relation', relation, schema: schema || 'pg_catalog', name, columns };
  }

  #tuple(places: Int32Array, width: number): LoggedValue[] {
    const bytes = this.#bytes;
    const values: LoggedValue[] = [];
    for (let place = 0; place < width; place++) values.push(null);
    const count = this.#uint16();
    let at = this.#at;
    for (let column = 0; column < count; column++) {
      const kind = bytes[at++];
      const place = column < places.length ? (places[column] as number) : -1;
      if (kind === NULL) continue;
      if (kind === UNCHANGED) {
        if (place !== -1) values[place] = undefined;
        continue;
      }
      if (kind !== TEXT) throw new WalUnreadable('A value in the log is not text.');
      const size = bytes.readUInt32BE(at);
      at += 4;
      if (place !== -1) values[place] = textAt(bytes, at, at + size);
      at += size;
    }
    this.#at = at;
    return values;
  }

  #expect(kind: number): void {
    if (this.#bytes[this.#at++] !== kind) throw new WalUnreadable('A change in the log has no new row.');
  }

  #uint16(): number {
    this.#at += 2;
    return this.#bytes.readUInt16BE(this.#at - 2);
  }

  #uint32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  #uint64(): bigint {
    this.#at += 8;
    return this.#bytes.readBigUInt64BE(this.#at - 8);
  }

  #string(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1) throw new WalUnreadable('A name in the log has no end.');
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}

function textAt(bytes: Buffer, start: number, end: number): Value {
  if (end - start > SHORT) return bytes.toString('utf8', start, end);
  let text = '';
  for (let at = start; at < end; at++) {
    const code = bytes[at] as number;
    if (code > 127) return bytes.toString('utf8', start, end);
    text += String.fromCharCode(code);
  }
  return text;
}
