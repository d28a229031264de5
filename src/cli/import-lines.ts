import { createReadStream } from 'node:fs';
import type { Config } from '../config.ts';
import { printable } from '../lib/check.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { type ServiceClient, createClient, isSuccess } from './service/client.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show } from './shown/output.ts';

/** So many go with one request: what is lost with a connection is soon sent again. */
const LINES_AT_ONCE = 1000;
/** Of a request, in characters; lines may be long. */
const MOST_TEXT = 8 * 1024 * 1024;
const SOME_REFUSED = 3;

interface Import {
  /** Such as `order`. */
  what: string;
  path: string;
}

interface Answer {
  index: number;
  success: boolean;
  error?: { code: string; message: string };
}

interface Refused {
  line: number;
  code: string;
  message: string;
}

/** Sends a file with one thing on each line (NDJSON), and tells of each line that was refused. */
export async function importLines(args: string[], config: Config, { what, path }: Import): Promise<number> {
  const { values, positionals } = readArguments(args, { 'idempotency-key': { type: 'string' }, ...JSON_OPTION }, ['file']);
  const client = createClient(config);
  const key = values['idempotency-key'];
  const refused: Refused[] = [];
  let [sent, requests] = [0, 0];
  for await (const lines of portions(positionals[0] ?? '')) {
    // Portions are cut by their length alone: the same file has the same ones, and the same keys, the next time.
    const headers = key === undefined ? {} : { 'idempotency-key': `${key}-${++requests}` };
    const texts = lines.map(({ text }) => text);
    for (const { index, success, error } of await sendLines(client, path, texts, headers)) {
      if (success) sent++;
      // The last answer may tell that the rest was not written: then the first line of it is told.
      else if (error) refused.push({ line: lines[index]?.number ?? 0, code: error.code, message: error.message });
    }
  }
  if (values.json) show(pretty({ imported: sent, refused }));
  for (const { line, message } of values.json ? [] : refused) explain(`Line ${line}: ${printable(message)}`);
  if (!values.json) explain(`${amount(sent, what)} taken, ${refused.length} refused.`);
  return refused.length > 0 ? SOME_REFUSED : 0;
}

async function sendLines(client: ServiceClient, path: string, lines: string[], headers: Record<string, string>): Promise<Answer[]> {
  const type = { 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' };
  const { status, text } = await client.send('POST', path, `${lines.join('\n')}\n`, { ...type, ...headers });
  if (!isSuccess(status)) {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; details: object } };
    throw new CliError(error.message, 1, error);
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer);
}

interface NumberedLine {
  text: string;
  /** Counted from 1. */
  number: number;
}

/** Lines that go together. Those that are empty are left out. */
async function* portions(file: string): AsyncGenerator<NumberedLine[]> {
  let lines: NumberedLine[] = [];
  let [length, number] = [0, 0];
  for await (const text of linesOf(file)) {
    number++;
    if (text.trim() === '') continue;
    if (lines.length >= LINES_AT_ONCE || (lines.length > 0 && length + text.length > MOST_TEXT)) {
      yield lines;
      [lines, length] = [[], 0];
    }
    lines.push({ text, number });
    length += text.length;
  }
  if (lines.length > 0) yield lines;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const bytes of file === '-' ? process.stdin : createReadStream(file)) {
      const lines = (rest + decoder.decode(bytes as Buffer, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CliError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  yield rest;
}
