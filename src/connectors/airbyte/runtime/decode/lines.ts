import { parseExactly } from '../../../../lib/exact-json.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import { MAX_ROW_BYTES } from '../../../contract.ts';

/** The lines of a body, some at a time. */
async function* linesOf(chunks: AsyncIterable<Buffer>, encoding = 'utf-8'): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_ROW_BYTES)
      throw new OutsideError('data', 'ROW_TOO_LARGE', 'The API sent a line that never ends.', { hint: 'Ask the makers of the API.' });
    if (lines.length > 0) yield lines.map((line) => line.replace(/\r$/, ''));
  }
  rest += decoder.decode();
  if (rest !== '') yield [rest.replace(/\r$/, '')];
}

/** JSON Lines; lines that are none are counted and left out. */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, onBad: (count: number) => void): AsyncGenerator<unknown[]> {
  let bad = 0;
  for await (const lines of linesOf(chunks)) {
    const values: unknown[] = [];
    for (const line of lines) {
      try {
        values.push(parseExactly(line));
      } catch {
        if (line.trim() !== '') bad++;
      }
    }
    if (values.length > 0) yield values;
  }
  if (bad > 0) onBad(bad);
}

/** Every line as a record with the one field `record`. */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  for await (const lines of linesOf(chunks)) yield lines.map((record) => ({ record }));
}
