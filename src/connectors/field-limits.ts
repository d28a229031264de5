import { OutsideError } from '../outside/errors.ts';

/** A stream has no more fields than this: wider than any table of a database, narrow enough to be told and shown. */
export const MAX_FIELDS = 10_000;
const MAX_NAME_BYTES = 1000;
/** JSON that goes deeper is no real data, and could not be written out again. */
const MAX_NESTING = 512;

/** Throws when nobody can work with so many fields, or with such names. `what` is the file or stream, as it is named in words. */
export function demandFields(names: readonly string[], what: string): void {
  if (names.length > MAX_FIELDS)
    throw new OutsideError('data', 'TOO_MANY_FIELDS', `"${what}" has more than ${MAX_FIELDS.toLocaleString('en')} fields.`, {
      hint: 'Check the format, the delimiter and the line ends: it may be no table at all. Else split it into narrower ones.',
    });
  const long = names.find((name) => name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (long !== undefined)
    throw new OutsideError('data', 'NAME_TOO_LONG', `"${what}" has a field whose name is longer than ${MAX_NAME_BYTES} bytes.`, {
      hint: `It begins with "${long.slice(0, 40)}". Check the format and whether the first row holds names.`,
    });
}

/** Whether JSON text goes too deep to be taken apart. Looks at no more than it must: what is short cannot. */
export function nestsTooDeeply(text: string): boolean {
  if (text.length <= 2 * MAX_NESTING) return false;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if ((code | 0x20) === 0x7b) {
      if (++depth > MAX_NESTING) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}
