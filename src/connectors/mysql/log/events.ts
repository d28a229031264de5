import { crc32, createZstdDecompress, inflateSync } from 'node:zlib';
import { OutsideError } from '../../../outside/errors.ts';
import { EVENT } from './codes.ts';
import { ByteCursor, misread } from './cursor.ts';

/** An event of the log: what stands before its body, and where the body is. */
export interface LogEvent {
  readonly type: number;
  /** When it happened, in seconds. */
  readonly time: number;
  readonly serverId: number;
  /** Where it ends in its file, in 32 bits; zero for what the server makes up for us. */
  readonly endsAt: number;
  readonly flags: number;
  readonly bytes: Buffer;
  /** Of the body. */
  readonly start: number;
  readonly end: number;
}

const HEADER = 19;
/** Where the header says how long the event is. */
const LENGTH_AT = 9;
/** The server has made it up: it is not in the file. */
const ARTIFICIAL = 0x20;

export const isArtificial = (event: LogEvent): boolean => (event.flags & ARTIFICIAL) !== 0 || event.endsAt === 0;

/** Where an event begins in its file, in 32 bits. */
export const beginningOf = (event: LogEvent): number => event.endsAt - event.bytes.readUInt32LE(event.start - HEADER + LENGTH_AT);

/** Places have 32 bits in the log; a large transaction makes a larger file. */
export const WRAP = 0x1_0000_0000;

/** Where an event ends that begins behind `at`. */
export function endBehind(at: number, endsAt: number): number {
  const end = at - (at % WRAP) + endsAt;
  return at - end > WRAP / 2 ? end + WRAP : end;
}

/** What a file says of the events in it. */
export interface LogFormat {
  readonly serverVersion: string;
  readonly hasChecksums: boolean;
  /** When the file was begun, in seconds; tells it from another one of the same name. */
  readonly madeAt: number;
  /** How long the fixed part of each type of event is. */
  readonly fixed: (type: number) => number;
}

/** Before a file has said what is in it, only what needs no format comes. */
export const NO_FORMAT: LogFormat = { serverVersion: '', hasChecksums: false, madeAt: 0, fixed: () => 0 };

/** The event in these bytes. The checksum is looked at, where there is one. */
export function eventIn(bytes: Buffer, start: number, end: number, format: LogFormat): LogEvent {
  if (end - start < HEADER) throw misread();
  const type = bytes[start + 4] as number;
  const length = bytes.readUInt32LE(start + LENGTH_AT);
  if (length !== end - start) throw misread();
  let bodyEnd = end;
  // The one that tells whether there are checksums has one itself, whatever it says.
  if (format.hasChecksums && type !== EVENT.formatDescription) {
    bodyEnd -= 4;
    if (bodyEnd < start + HEADER) throw misread();
    if (crc32(bytes.subarray(start, bodyEnd)) !== bytes.readUInt32LE(bodyEnd))
      throw new OutsideError('transient', 'CHECKSUM_WRONG', 'An event of the log does not fit its checksum.', {
        hint: 'It is read again. If it happens again and again, look at the disk of the server, and at the network.',
      });
  }
  return headed(bytes, start, bodyEnd);
}

/** An event without a checksum, as in a compressed transaction. */
function headed(bytes: Buffer, start: number, end: number): LogEvent {
  return {
    time: bytes.readUInt32LE(start),
    type: bytes[start + 4] as number,
    serverId: bytes.readUInt32LE(start + 5),
    endsAt: bytes.readUInt32LE(start + 13),
    flags: bytes.readUInt16LE(start + 17),
    bytes,
    start: start + HEADER,
    end,
  };
}

const bodyOf = (event: LogEvent): ByteCursor => new ByteCursor(event.bytes, event.start, event.end);

export function formatIn(event: LogEvent): LogFormat {
  const body = bodyOf(event);
  if (body.uint16() !== 4) throw misread('a log of a version that is not known');
  const serverVersion = body.text(50, 'latin1').replace(/\0.*$/s, '');
  const madeAt = body.uint32();
  if (body.uint8() !== HEADER) throw misread('a log of a version that is not known');
  // The lengths are followed by a byte that names the checksum and by the checksum of this event, in all versions that we know.
  const lengths = body.slice(body.rest - 5);
  const hasChecksums = body.uint8() === 1;
  // The creation time in the body is there only in the first file after a start; that in front is always there.
  return { serverVersion, hasChecksums, madeAt: event.time || madeAt, fixed: (type) => lengths[type - 1] ?? 0 };
}

export interface Rotation {
  readonly file: string;
  readonly at: number;
}

export function rotationIn(event: LogEvent): Rotation {
  const body = bodyOf(event);
  const at = Number(body.uint64());
  return { at, file: body.text(body.rest) };
}

/** A transaction begins. */
export interface Beginning {
  /** Of MariaDB: a number of the domain. */
  readonly domain?: number;
  /** Of MySQL: who has made it. */
  readonly source?: string;
  readonly number?: bigint;
  /** When it was committed, in milliseconds, where that is told. */
  readonly committedAt?: number;
  /** What follows is one statement, with no end of its own. */
  readonly isAlone?: boolean;
  /** It is prepared only; a later one says whether it is committed. */
  readonly isPrepared?: boolean;
}

const [STANDALONE, PREPARED_XA] = [1, 64];

export function mariadbBeginningIn(event: LogEvent): Beginning {
  const body = bodyOf(event);
  const number = body.uint64();
  const domain = body.uint32();
  const flags = body.uint8();
  return { domain, number, isAlone: (flags & STANDALONE) !== 0, isPrepared: (flags & PREPARED_XA) !== 0 };
}

export function mysqlBeginningIn(event: LogEvent): Beginning {
  const body = bodyOf(event);
  body.take(1);
  const source = body.text(16, 'hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const number = body.uint64();
  // Then come a type of two, two logical times, and the time of the commit in microseconds, of 55 bits.
  const committedAt = body.rest >= 24 && body.uint8() === 2 ? commitTime(body) : undefined;
  return { ...(event.type === EVENT.gtid && { source, number }), ...(committedAt !== undefined && { committedAt }) };
}

function commitTime(body: ByteCursor): number {
  body.take(16);
  const low = body.uint32();
  return Math.round((low + (body.uint24() & 0x7f_ffff) * 0x1_0000_0000) / 1000);
}

/** The name of a distributed transaction, as statements spell it. */
export function xidIn(event: LogEvent): string {
  const body = bodyOf(event);
  body.take(1);
  const format = body.uint32();
  const first = body.uint32();
  const second = body.uint32();
  return `x'${body.text(first, 'hex')}',x'${body.text(second, 'hex')}',${format}`;
}

export interface LoggedStatement {
  readonly database: string;
  readonly text: string;
  /** How long it took, in seconds. */
  readonly seconds: number;
}

export function statementIn(event: LogEvent): LoggedStatement {
  const body = bodyOf(event);
  body.take(4);
  const seconds = body.uint32();
  const databaseLength = body.uint8();
  body.take(2);
  body.take(body.uint16());
  const database = body.text(databaseLength);
  body.take(1);
  const rest = body.slice(body.rest);
  const text = event.type === EVENT.mariadbCompressedQuery ? inflated(rest) : rest;
  return { database, text: text.toString('utf8'), seconds };
}

/** What MariaDB compresses: a byte with the method and how long the length is, the length, and zlib's bytes. */
export function inflated(bytes: Buffer, most = MOST_INFLATED): Buffer {
  const body = new ByteCursor(bytes);
  const first = body.uint8();
  const length = body.uintBE(first & 0x07);
  if ((first & 0x70) !== 0) throw misread('an event that is compressed in a way that is not known');
  if (length > most) throw tooLarge(length);
  return inflateSync(body.slice(body.rest), { maxOutputLength: Math.max(1, length) });
}

/** No event is larger. */
const MOST_INFLATED = 256 * 1024 * 1024;

function tooLarge(length: number): OutsideError {
  return new OutsideError('config', 'EVENT_TOO_LARGE', `An event of the log has ${Math.round(length / 1_048_576)} MiB.`, {
    hint: 'Leave the table with such rows out of the synchronization.',
  });
}

const [PAYLOAD_END, PAYLOAD_METHOD] = [0, 2];
const [ZSTD, NOT_COMPRESSED] = [0, 255];

/** The events of a transaction that MySQL has compressed, one by one. They have no checksums, and no places in the file. */
export async function* eventsInPayload(event: LogEvent): AsyncGenerator<LogEvent> {
  const body = bodyOf(event);
  let method: number = NOT_COMPRESSED;
  for (let field = body.packed(); field !== PAYLOAD_END; field = body.packed()) {
    const value = new ByteCursor(body.slice(body.packed()));
    if (field === PAYLOAD_METHOD) method = value.packed();
  }
  const packed = body.slice(body.rest);
  if (method !== ZSTD && method !== NOT_COMPRESSED) throw misread('a transaction that is compressed in a way that is not known');
  const chunks = method === ZSTD ? unpacked(packed) : [packed];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; rest.length - at >= HEADER; ) {
      const length = rest.readUInt32LE(at + 9);
      if (length < HEADER || length > MOST_INFLATED) throw misread();
      if (at + length > rest.length) break;
      yield headed(rest, at, at + length);
      at += length;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw misread();
}

/** Unpacked piece by piece: a transaction may be many times larger than what it was packed into. */
function unpacked(packed: Buffer): AsyncIterable<Buffer> {
  const unpacking = createZstdDecompress({ chunkSize: 256 * 1024 });
  unpacking.end(packed);
  return unpacking;
}
