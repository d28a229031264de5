import { printable } from '../../../lib/check.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import type { FoundRecord } from './found-record.ts';
import { guessRecords } from './guess.ts';
import { notJsonBut, shortType, webPage } from '../client/not-json.ts';
import { at, type Path, pathText } from './paths.ts';
import { parseRecord } from './records.ts';
import { groupTogether } from './record-group.ts';
import { demandOnce, notJson, RecordScanner } from './record-scanner.ts';

/** Where the records of a stream are; without a path it is found in the first answer, and then kept. */
export interface RecordsPath {
  path: Path | undefined;
}

const MAX_GUESS = 16 * 1024 * 1024;
/** Characters that tell what the rest is. */
const ENOUGH = 8;
const MAX_SPACES = 64 * 1024;

/** How much of a page is held back until all of it is known to be good: errors may stand behind the records. */
const MOST_HELD = 8 * 1024 * 1024;

/** A page of a stream, of which the API has not said that something went wrong. */
export interface RecordPage {
  readonly headers: Answer['headers'];
  readonly url: URL;
  /** Some at a time. Of a page that is too large to be held back, the end may still tell of errors. */
  readonly records: AsyncIterable<Iterable<FoundRecord>>;
  /** What lies around the records; known when all of them were taken. */
  readonly envelope: () => unknown;
  /** All of them, where the page has arrived as a whole: then what lies around them is known, too. */
  readonly held?: readonly FoundRecord[];
  /** Lets go of what has not arrived, where something may be left. */
  readonly discard?: () => void;
}

/** Reads a page as far as it can be held back. `judge` throws when what lies around the records is a complaint. */
export async function openPage(
  answer: Answer,
  place: RecordsPath,
  judge: (envelope: unknown, isRecord: boolean) => void,
): Promise<RecordPage> {
  let envelope: unknown;
  const page = { headers: answer.headers, url: answer.url, envelope: () => envelope, discard: () => answer.discard() };
  const wasKnown = place.path !== undefined;
  const rest = recordsOf(answer, place, (around, whole, isRecord) => {
    judge(whole, isRecord);
    envelope = around;
  });
  const held: FoundRecord[] = [];
  let bytes = 0;
  try {
    while (bytes < MOST_HELD) {
      const { value, done } = await rest.next();
      if (done) return { ...page, records: oneByOne([held]), held };
      for (const found of value) {
        held.push(found);
        bytes += found.size;
      }
    }
    return { ...page, records: oneByOne([held], rest) };
  } catch (error) {
    // A page that is none says nothing about where the records are.
    if (!wasKnown) place.path = undefined;
    throw error;
  }
}

async function* oneByOne(
  held: Iterable<Iterable<FoundRecord>>,
  rest?: AsyncIterable<Iterable<FoundRecord>>,
): AsyncGenerator<Iterable<FoundRecord>> {
  yield* held;
  if (rest) yield* rest;
}

/** The records of an answer as they arrive, some at a time; at the end, what lies around them is told, and what is to be judged. */
async function* recordsOf(
  answer: Answer,
  place: RecordsPath,
  onEnd: (envelope: unknown, whole: unknown, isRecord: boolean) => void,
): AsyncGenerator<Iterable<FoundRecord>> {
  if (answer.status === 204 || answer.status === 205) {
    answer.discard();
    onEnd({}, {}, false);
    return;
  }
  let isWhole = false;
  try {
    const body = await begun(answer);
    const chunks = place.path === undefined ? await guessed(body, place) : body.chunks;
    const path = place.path ?? [];
    const scanner = new RecordScanner(path);
    // Where the answer itself is the record, what it complains about is in the record.
    const isRecord = path.length === 0 && body.first === '{';
    let whole: unknown;
    for await (const chunk of chunks) {
      const found = [...scanner.push(chunk)];
      if (!isRecord) {
        groupTogether(chunk, found);
        yield found;
      } else
        for (const record of found) {
          const parsed = parseRecord(record);
          if ('record' in parsed) {
            whole = parsed.record;
            demandOnce(record.text.toString('utf8'), whole);
          }
          yield [record];
        }
    }
    isWhole = true;
    const envelope = scanner.finish();
    if (whole === undefined) whole = envelope;
    // An API that complains has often no records to show.
    onEnd(envelope, whole, isRecord);
    demandRecords(envelope, path);
  } finally {
    if (!isWhole) answer.discard();
  }
}

interface OpenedBody {
  chunks: AsyncIterable<Buffer>;
  /** The first byte that is no space. */
  first: string;
}

/** Waits for the first bytes, and says what they are when they cannot be JSON. */
async function begun(answer: Answer): Promise<OpenedBody> {
  const rest = answer.body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let text = '';
  for (let isWhole = false; text.length < ENOUGH && !isWhole; ) {
    const { value, done } = await rest.next();
    if (done) isWhole = true;
    else head = Buffer.concat([head, value]);
    // Some servers write a byte order mark, though JSON has none.
    if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) head = head.subarray(3);
    text = head.subarray(0, 2000).toString('utf8').trim();
    if (head.length > MAX_SPACES) break;
  }
  const first = text[0] ?? '';
  if (first === '') throw notJsonBut('nothing at all', answer);
  if (first === '<') throw notJsonBut(webPage(text), answer);
  if (!/^([{[]|null\b)/.test(text)) throw notJsonBut(`what is not JSON (${shortType(answer)})`, answer);
  return { first, chunks: joined(head, rest) };
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Of a list, it is the list itself. Of an object, all of it is needed to find the list in it. */
async function guessed({ chunks, first }: OpenedBody, place: RecordsPath): Promise<AsyncIterable<Buffer> | Iterable<Buffer>> {
  if (first === '[') {
    place.path = [];
    return chunks;
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_GUESS)
      throw new OutsideError('config', 'RECORDS_UNKNOWN', 'The answer is too large to look for the records in it.', {
        hint: 'Say where the records are with `records`.',
      });
  }
  // Scanned as one record, so that what is cut off or too deep is told as always.
  const whole = new RecordScanner([]);
  const found = parts.flatMap((part) => [...whole.push(part)]);
  whole.finish();
  if (found[0]?.isTooDeep) throw notJson();
  place.path = guessRecords(found[0]?.text.toString('utf8') ?? 'null');
  return parts;
}

function demandRecords(envelope: unknown, path: Path): void {
  const value = at(envelope, path);
  if (value === null || (typeof value === 'object' && !JSON.isRawJSON(value))) return;
  const known = path.map((_, depth) => path.slice(0, depth)).findLast((above) => typeof at(envelope, above) === 'object');
  const names = Object.keys((at(envelope, known ?? []) as object | null) ?? {})
    .slice(0, 20)
    .map((name) => printable(name).slice(0, 60));
  throw new OutsideError(
    'config',
    'RECORDS_MISSING',
    value === undefined
      ? `The answer has no ${pathText(path)}; ${known?.length ? `${pathText(known)} has` : 'it has'} ${names.join(', ') || 'nothing'}.`
      : `${pathText(path)} in the answer is neither a list nor an object.`,
    { hint: 'Check `records`: it says where the list of records is in the answer.' },
  );
}
