import { isIP } from 'node:net';
import type { FieldError } from '../lib/errors.ts';
import { OutsideError } from '../outside/errors.ts';
import type { Reach } from '../outside/reach.ts';

const MOST_HEADERS = 32;
const LONGEST_NAME = 100;
const LONGEST_VALUE = 4096;

/** What is wrong with the address of an endpoint, if anything is. Names are looked up with each attempt, not here. */
export function urlFault(text: string, reach: Reach): string | undefined {
  const url = /[\s\\]/.test(text) || !/^https?:\/\//i.test(text) ? null : URL.parse(text);
  if (!url) return 'must be an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or password; send them in headers';
  if (url.hash !== '') return 'must not have a part behind #, as that is never sent';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isIP(host)) return undefined;
  try {
    reach.demand(host);
    return undefined;
  } catch (error) {
    if (error instanceof OutsideError) return `is out of reach: ${error.message} ${error.hint ?? ''}`.trim();
    throw error;
  }
}

/** What is ours to say, or what belongs to the connection. */
const RESERVED =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|webhook-.*|user-agent|accept-encoding)$/;

/** What is wrong with headers of the user's own. */
export function headerFaults(headers: Readonly<Record<string, unknown>>): FieldError[] {
  const names = Object.keys(headers);
  if (names.length > MOST_HEADERS) return [{ field: 'headers', reason: `must be ${MOST_HEADERS} at most` }];
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const folded = name.toLowerCase();
    const reason = seen.has(folded) ? 'is there already, in another spelling' : (nameFault(name, folded) ?? valueFault(headers[name]));
    seen.add(folded);
    return reason === undefined ? [] : [{ field: `headers.${name}`, reason }];
  });
}

function nameFault(name: string, folded: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.length > LONGEST_NAME)
    return `must be the name of a header, of at most ${LONGEST_NAME} characters`;
  return RESERVED.test(folded) ? 'cannot be set: it is made with each attempt, or belongs to the connection' : undefined;
}

function valueFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length === 0 || value.length > LONGEST_VALUE)
    return `must be a text of 1 to ${LONGEST_VALUE} characters`;
  if (!/^[\x20-\x7e]*$/.test(value)) return 'must be printable ASCII';
  return value.trim() === value ? undefined : 'must not begin or end with a space';
}
