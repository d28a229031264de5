import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { type TSchema, Type } from '../lib/schema.ts';
import { errorBody } from './errors.ts';
import { type Bytes, type JsonLine, readLines } from './lines.ts';
import { Strict } from './schemas.ts';

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
  const failure = Type.Object({ code: Type.String(), message: Type.String(), details: Type.Object({}, { additionalProperties: true }) });
  return Strict({
    success: Type.Literal(true),
    data: Type.Array(Strict({ index: Type.Integer(), success: Type.Boolean(), data: Type.Optional(done), error: Type.Optional(failure) })),
    total: Type.Integer({ description: `How many ${what} were sent.` }),
    failed: Type.Integer({ description: 'How many of them were refused.' }),
  });
}

/** Writes an array in one transaction and answers for each. */
export async function answerBatch<Item>(inputs: readonly unknown[], work: BatchWork<Item>): Promise<string> {
  const checked = checkAll(
    inputs.map((value) => ({ value })),
    0,
    work,
  );
  const entries = await writeAll(checked, work);
  return `{"success":true,"data":[${entries.join(',')}],"total":${inputs.length},"failed":${checked.failed}}`;
}

/**
 * The same for a stream: what has arrived is written and answered. While it is written, what comes next is read and checked, and no more than
 * that, so memory does not grow with the stream.
 */
export async function* answerLines<Item>(stream: Bytes, work: BatchWork<Item>): AsyncGenerator<string> {
  const lines = readLines(stream, work.most);
  let answered = 0;
  try {
    let seen = 0;
    let reading = next(lines);
    let writing: Promise<Written> | undefined;
    for (;;) {
      const first: Read | Written = writing ? await Promise.race([reading, writing]) : await reading;
      if ('text' in first) {
        // A sender may wait for this answer before it sends more.
        yield first.text;
        answered = first.upTo;
        writing = undefined;
        continue;
      }
      const checked = first.lines && checkAll(first.lines, seen, work);
      seen += first.lines?.length ?? 0;
      if (checked) reading = next(lines);
      if (writing) {
        const { text, upTo } = await writing;
        yield text;
        answered = upTo;
        writing = undefined;
      }
      if (first.error) throw first.error;
      if (!checked) return;
      writing = written(writeAll(checked, work), seen);
    }
  } catch (error) {
    // The answer has begun, so its status is out; the last line tells that, and from where, the rest was not written.
    if (!(error instanceof AppError)) work.log.error({ err: error, index: answered }, `a stream of ${work.what} failed by our fault`);
    yield `${renderFailure(answered, error instanceof AppError ? error : new AppError('INTERNAL_ERROR', 'Something went wrong on our side.'))}\n`;
  }
}

interface Written {
  text: string;
  /** The place behind what was written. */
  upTo: number;
}

/** Some lines, or none at the end, or why there are no more. It never rejects, as nobody may be waiting for it any more. */
interface Read {
  lines?: JsonLine[];
  error?: unknown;
}

async function next(lines: AsyncGenerator<JsonLine[]>): Promise<Read> {
  try {
    const { done, value } = await lines.next();
    return done ? {} : { lines: value };
  } catch (error) {
    return { error };
  }
}

async function written(entries: Promise<string[]>, upTo: number): Promise<Written> {
  return { text: `${(await entries).join('\n')}\n`, upTo };
}

interface Checked<Item> {
  /** The answers, by place; those of items that are still to be written are missing. */
  entries: string[];
  items: Item[];
  /** Where each of the items is. */
  places: number[];
  firstIndex: number;
  failed: number;
}

function checkAll<Item>(inputs: readonly JsonLine[], firstIndex: number, work: BatchWork<Item>): Checked<Item> {
  const checked: Checked<Item> = { entries: [], items: [], places: [], firstIndex, failed: 0 };
  inputs.forEach((input, place) => {
    try {
      if ('error' in input) throw input.error;
      checked.items.push(work.check(input.value, firstIndex + place));
      checked.places.push(place);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refuse(checked, place, error);
    }
  });
  return checked;
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
