import { parseExactly } from '../../../../lib/exact-json.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import { valueAt } from '../records/dpath.ts';

const MOST = 64 * 1024 * 1024;

/** The entries of a list in a JSON text, or of the text itself. It is read as a whole, up to a bound. */
export async function* jsonItems(chunks: AsyncIterable<Buffer>, path: readonly string[]): AsyncGenerator<readonly unknown[]> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST)
      throw new OutsideError('config', 'RESPONSE_TOO_LARGE', 'The API sent a JSON text that is too large to be read as a whole.', {
        field: 'manifest',
      });
  }
  let value: unknown;
  try {
    value = parseExactly(Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    throw new OutsideError('transient', 'ANSWER_BROKEN', 'The API sent what is no JSON.', { cause: error });
  }
  const items = valueAt(value, path);
  if (Array.isArray(items)) yield items;
  else if (items !== undefined && items !== null) yield [items];
}
