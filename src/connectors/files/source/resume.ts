import { crc32 } from 'node:zlib';
import { LF, CR } from '../csv/dialect.ts';
import type { DataFile } from './data-file.ts';
import type { FileReading } from './look.ts';
import type { FilePosition } from './position.ts';
import { joined, textOf, without } from '../text/unpack.ts';
import { TextWindow } from '../text/window.ts';

export interface ResumedText {
  readonly window: TextWindow;
  readonly offset: number;
  readonly line: number;
  readonly checksum: number;
}

/** Opens a text where an earlier read stopped; at its beginning when there was none, or when it is another text now. */
export async function resumeText(
  file: DataFile,
  reading: FileReading,
  known: FilePosition | undefined,
  signal: AbortSignal,
): Promise<ResumedText> {
  const whole = (): AsyncIterable<Buffer> => textOf(file.bytes(0, signal), reading, file.name);
  if (known && known.offset > 0) {
    const isSame = known.stamp !== undefined && known.stamp === file.stamp;
    const begun = isSame ? reopened(file, reading, known, signal) : await continued(whole(), known);
    if (begun) return begun;
  }
  return { window: new TextWindow(whole()), offset: 0, line: 1, checksum: 0 };
}

/** The file has not changed since: what was read is passed over without a look, or not even fetched. */
function reopened(file: DataFile, reading: FileReading, known: FilePosition, signal: AbortSignal): ResumedText {
  const isPlain = reading.compression === 'none' && reading.encoding === 'utf-8';
  const rest = isPlain
    ? file.bytes(reading.mark + known.offset, signal)
    : without(textOf(file.bytes(0, signal), reading, file.name), known.offset);
  return { window: new TextWindow(rest), offset: known.offset, line: known.line, checksum: known.checksum };
}

/**
 * The file has changed: it is gone on with only if it still begins with exactly what was read. A last row that had no line
 * end then and goes on now was read half, and is read again as a whole.
 */
async function continued(text: AsyncIterable<Buffer>, known: FilePosition): Promise<ResumedText | undefined> {
  const source = text[Symbol.asyncIterator]();
  const certain = known.offset - known.open;
  const parts: Buffer[] = [];
  let [at, checksum] = [0, 0];
  // One byte more than was read: it tells whether the last row goes on.
  while (at + lengthOf(parts) <= known.offset) {
    const { value, done } = await source.next();
    if (done) break;
    const passed = Math.min(certain - at, value.length);
    checksum = crc32(value.subarray(0, passed), checksum);
    at += passed;
    if (passed < value.length) parts.push(value.subarray(passed));
  }
  const rest = Buffer.concat(parts);
  const isSame = at === certain && rest.length >= known.open && crc32(rest.subarray(0, known.open), checksum) === known.checksum;
  if (!isSame) {
    await source.return?.();
    return undefined;
  }
  const following = rest.subarray(known.open);
  const goesOn = known.open > 0 && following.length > 0 && following[0] !== LF && following[0] !== CR;
  if (goesOn) {
    const lines = countOf(rest.subarray(0, known.open), LF) + 1;
    return { window: new TextWindow(joined(rest, source)), offset: certain, line: known.line - lines, checksum };
  }
  // The line end of a row that lacked it is no row of its own.
  const end = known.open > 0 && following.length > 0 ? (following[0] === CR && following[1] === LF ? 2 : 1) : 0;
  return {
    window: new TextWindow(joined(following.subarray(end), source)),
    offset: known.offset + end,
    line: known.line,
    checksum: crc32(following.subarray(0, end), known.checksum),
  };
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}
