import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { type TSchema, Type } from '../lib/schema.ts';
import { Failure } from './error-schema.ts';
import { errorBody } from './errors.ts';
import { type Bytes, type JsonLine, type Lines, readLines } from './lines.ts';
import { Strict } from './schemas.ts';

/** A transaction takes what was read in so many steps at most: the first lines of a stream are written without a wait for many. */
const PORTIONS = 4;
/** Nor is more than this read while another is written: lines may be long. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What is done with many items that come in one request. One bad item does not stop the others. */
export interface BatchWork<Item> {
  /** What they are, for our log. */
  what: string;
  /** The most that are written in one transaction. */
  most: number;
  /** Checks one item, by its place in the request; throws an AppError for one that cannot be. */
  check: (value: unknown, index: number) => Item;
  /** Writes items in one transaction: of each its answer as JSON text, or why it is refused. */
  write: (items: Item[]) => Promise<(string | AppError)[]>;
  log: Logger;
}

/** What a batch is answered with; a stream of lines gets the entries of `data`, one on each line. */
export function BatchAnswer(done: TSchema, what: string) {
  return Strict({
    success: Type.Literal(true),
    data: Type.Array(Strict({ index: Type.Integer(), success: Type.Boolean(), data: Type.Optional(done), error: Type.Optional(Failure) })),
    total: Type.Integer({ description: `How many ${what} were sent.` }),
    failed: Type.Integer({ description: 'How many of them were refused.' }),
  });
}

/** Writes an array in one transaction and answers for each. */
export async function answerBatch<Item>(inputs: readonly unknown[], work: BatchWork<Item>): Promise<string> {
  const checked = noneChecked<Item>(0);
  checkAll(
    inputs.map((value) => ({ value })),
    checked,
    work,
  );
  const entries = await writeAll(checked, work);
  return `{"success":true,"data":[${entries.join(',')}],"total":${inputs.length},"failed":${checked.failed}}`;
}

/**
 * The same for a stream: what has arrived is written and answered. While it is written, what comes next is read and checked, until it is as
 * much as one transaction takes, or some megabytes; so memory does not grow with the stream, and a quick sender fills whole transactions.
 */
export async function* answerLines<Item>(stream: Bytes, work: BatchWork<Item>): AsyncGenerator<string> {
  const portion = Math.ceil(work.most / PORTIONS);
  const lines = readLines(stream, portion);
  let answered = 0;
  try {
    let gathered = noneChecked<Item>(0);
    let reading: Promise<Read> | undefined = next(lines);
    let writing: Promise<Written> | undefined;
    let end: Read | undefined;
    for (;;) {
      if (!writing && gathered.count > 0) {
        const upTo = gathered.firstIndex + gathered.count;
        writing = written(writeAll(gathered, work), upTo);
        gathered = noneChecked(upTo);
      }
      if (!reading && !end && gathered.count + portion <= work.most && gathered.bytes < MOST_BYTES) reading = next(lines);
      if (!reading && !writing) break;
      const first: Read | Written = await Promise.race([reading, writing].filter((one) => one !== undefined));
      if ('upTo' in first) {
        if (first.text === undefined) throw first.error;
        // A sender may wait for this answer before it sends more.
        yield first.text;
        answered = first.upTo;
        writing = undefined;
      } else {
        reading = undefined;
        if (first.lines) checkAll(first.lines, gathered, work);
        else end = first;
        gathered.bytes += first.bytes ?? 0;
      }
    }
    if (end?.error) throw end.error;
  } catch (error) {
    // The answer has begun, so its status is out; the last line tells that, and from where, the rest was not written.
    if (!(error instanceof AppError)) work.log.error({ err: error, index: answered }, `a stream of ${work.what} failed by our fault`);
    yield `${renderFailure(answered, error instanceof AppError ? error : new AppError('INTERNAL_ERROR', 'Something went wrong on our side.'))}\n`;
  }
}

// Neither of these two ever rejects: nobody may be waiting for them any more, as the client is gone or the other one failed.

/** The answers to what was written, or why it could not be. */
interface Written {
  text?: string;
  error?: unknown;
  /** The place behind what was to be written. */
  upTo: number;
}

/** Some lines, or none at the end, or why there are no more. */
interface Read extends Partial<Lines> {
  error?: unknown;
}

async function next(lines: AsyncGenerator<Lines>): Promise<Read> {
  try {
    const { done, value } = await lines.next();
    return done ? {} : value;
  } catch (error) {
    return { error };
  }
}

async function written(entries: Promise<string[]>, upTo: number): Promise<Written> {
  try {
    return { text: `${(await entries).join('\n')}\n`, upTo };
  } catch (error) {
    return { error, upTo };
  }
}

/** Items that come one after the other, and are written together. */
interface Checked<Item> {
  /** The place of the first in the request. */
  firstIndex: number;
  count: number;
  bytes: number;
  /** The answers, by place behind the first; those of items that are still to be written are missing. */
  entries: string[];
  items: Item[];
  /** Where each of the items is. */
  places: number[];
  failed: number;
}

function noneChecked<Item>(firstIndex: number): Checked<Item> {
  return { firstIndex, count: 0, bytes: 0, entries: [], items: [], places: [], failed: 0 };
}

function checkAll<Item>(inputs: readonly JsonLine[], checked: Checked<Item>, work: BatchWork<Item>): void {
  for (const input of inputs) {
    const place = checked.count++;
    try {
      if ('error' in input) throw input.error;
      checked.items.push(work.check(input.value, checked.firstIndex + place));
      checked.places.push(place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(checked, place, error);
    }
  }
}

async function writeAll<Item>(checked: Checked<Item>, work: BatchWork<Item>): Promise<string[]> {
  const { entries, items, places, firstIndex } = checked;
  const outcomes = items.length > 0 ? await work.write(items) : [];
  outcomes.forEach((outcome, i) => {
    const place = places[i] as number;
    if (typeof outcome === 'string') entries[place] = `{"index":${firstIndex + place},"success":true,"data":${outcome}}`;
    else refuse(checked, place, outcome);
  });
  return entries;
}

function refuse(checked: Checked<unknown>, place: number, error: AppError): void {
  checked.entries[place] = renderFailure(checked.firstIndex + place, error);
  checked.failed++;
}

function renderFailure(index: number, { code, message, details }: AppError): string {
  return `{"index":${index},${errorBody(code, message, details).slice(1)}`;
}
