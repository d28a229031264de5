import { AppError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';

const MAX_LINE = 1024 * 1024;
const NEWLINE = 0x0a;
const BLANK = /^[ \t\r]*$/;

/** One line of newline-delimited JSON: what it holds, or why it cannot be read. */
export type JsonLine = { value: unknown } | { error: AppError };

/** Lines that came together, and how long they were. */
export interface Lines {
  lines: JsonLine[];
  bytes: number;
}

/** A stream of bytes; one of Node's also tells how many are here already. */
export type Bytes = AsyncIterable<Buffer> & { readonly readableLength?: number };

/**
 * Reads newline-delimited JSON, some lines at a time: as many as have arrived, at most `most`, and about a megabyte. A line
 * that cannot be read is told as such and the next one read; memory is bounded by the longest line allowed.
 */
export async function* readLines(stream: Bytes, most: number): AsyncGenerator<Lines> {
  let rest: Buffer[] = [];
  let restLength = 0;
  let ready: JsonLine[] = [];
  let readyLength = 0;
  // Those that are empty count, too: it is what an editor shows.
  let line = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      restLength += end - start;
      if (restLength <= MAX_LINE) rest.push(chunk.subarray(start, end));
      push(ready, rest, restLength, ++line);
      readyLength += restLength;
      rest = [];
      restLength = 0;
      start = end + 1;
      if (ready.length >= most || (ready.length > 0 && readyLength >= MAX_LINE)) {
        yield { lines: ready, bytes: readyLength };
        ready = [];
        readyLength = 0;
      }
    }
    restLength += chunk.length - start;
    // Of a line that is too long only the length is remembered.
    if (restLength <= MAX_LINE) rest.push(chunk.subarray(start));
    else rest = [];
    // A client that writes line by line sends a chunk for each: those that are here already go together.
    if (ready.length > 0 && !stream.readableLength) {
      yield { lines: ready, bytes: readyLength };
      ready = [];
      readyLength = 0;
    }
  }
  push(ready, rest, restLength, ++line);
  if (ready.length > 0) yield { lines: ready, bytes: readyLength + restLength };
}

function push(lines: JsonLine[], parts: Buffer[], length: number, line: number): void {
  if (length > MAX_LINE) {
    const reason = 'the line is too long';
    lines.push({ error: new AppError('PAYLOAD_TOO_LARGE', 'This line is longer than 1 MiB.', { field: '', reason, line }) });
    return;
  }
  const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  if (BLANK.test(bytes.toString('latin1'))) return;
  try {
    lines.push({ value: parseJson(bytes, 'line') });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    lines.push({ error: new AppError(error.code, error.message, { ...error.details, line }) });
  }
}
