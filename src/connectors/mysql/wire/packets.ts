import { serverError } from './server-errors.ts';

/** What a statement answered. */
export interface StatementResult {
  affected: number;
  warnings: number;
  /** Such as `Records: 3  Deleted: 0  Skipped: 1  Warnings: 1`. MariaDB puts its length in front: look for the words. */
  info: string;
}

export type Texts = (string | null)[];

const read = { length: 0, at: 0 };

/** A length-encoded number and where it ends. The answer is one object, used again. */
export function readLength(bytes: Buffer, at: number): { length: number; at: number } {
  const first = bytes[at] as number;
  if (first < 0xfb) {
    read.length = first;
    read.at = at + 1;
  } else if (first === 0xfc) {
    read.length = bytes.readUInt16LE(at + 1);
    read.at = at + 3;
  } else if (first === 0xfd) {
    read.length = bytes.readUIntLE(at + 1, 3);
    read.at = at + 4;
  } else {
    read.length = Number(bytes.readBigUInt64LE(at + 1));
    read.at = at + 9;
  }
  return read;
}

/** The values of a row as texts. */
export function textsOf(bytes: Buffer, start: number, end: number, encoding: BufferEncoding = 'utf8'): Texts {
  const texts: Texts = [];
  for (let at = start; at < end; ) {
    if (bytes[at] === 0xfb) {
      texts.push(null);
      at++;
    } else {
      const { length, at: from } = readLength(bytes, at);
      texts.push(bytes.toString(encoding, from, from + length));
      at = from + length;
    }
  }
  return texts;
}

export function answerOf(bytes: Buffer, start: number, end: number): StatementResult {
  const { length: affected, at: behind } = readLength(bytes, start + 1);
  const { at } = readLength(bytes, behind);
  return { affected, warnings: bytes.readUInt16LE(at + 2), info: bytes.toString('utf8', at + 4, end) };
}

// A session that may ask is signed in already: these errors are about the user in whose name a view is run.
const VIEW_OWNER_FAULTS = new Set([1045, 1449]);
const VIEW_BROKEN = 1356;

export function refusal(bytes: Buffer, start: number, end: number): Error {
  const code = bytes.readUInt16LE(start + 1);
  const at = bytes[start + 3] === 0x23 ? start + 9 : start + 3;
  return serverError(VIEW_OWNER_FAULTS.has(code) ? VIEW_BROKEN : code, bytes.toString('utf8', at, end));
}
