import type { IncomingHttpHeaders } from 'node:http';
import { isJson, parseExactly } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Paging } from '../config/paging.ts';
import { at, parsePath } from '../answer/paths.ts';

/** Where a page begins: a number, a cursor as JSON text, or an address. The first page of all has none. */
export type PageStart = string | number;

/** What is known of a page when it has been read. */
export interface PageEnd {
  start: PageStart | undefined;
  count: number;
  envelope: unknown;
  headers: IncomingHttpHeaders;
  url: URL;
  /** Of the API; no page lies elsewhere. */
  origin: string;
  /** A field of its last record, as the API wrote it. */
  lastField: (name: string) => unknown;
}

// It is sent in an address and kept in every position.
const MAX_START = 16 * 1024;

/** Values that go into the query, or into the body. */
export type RequestParameter = readonly [name: string, value: unknown];

/** Whether `start` is of the kind that this paging uses. */
export function isPageStart(paging: Paging, start: unknown, origin: string): start is PageStart {
  switch (paging.type) {
    case 'none':
      return false;
    case 'page':
    case 'offset':
      return Number.isSafeInteger(start) && (start as number) >= 0;
    case 'cursor':
      return typeof start === 'string' && isJson(start);
    default:
      return typeof start === 'string' && URL.parse(start)?.origin === origin;
  }
}

/** The parameters that ask for a page. A page that has its own address needs none. */
export function pageParameters(paging: Paging, start: PageStart | undefined): RequestParameter[] {
  const size: RequestParameter[] = 'size_param' in paging && paging.size_param !== undefined ? [[paging.size_param, paging.size]] : [];
  switch (paging.type) {
    case 'none':
      return [];
    case 'page':
      return [...size, [paging.param, start ?? paging.start]];
    case 'offset':
      return [
        [paging.limit_param, paging.limit],
        [paging.offset_param, start ?? 0],
      ];
    case 'cursor':
      return start === undefined ? size : [...size, [paging.param, parseExactly(String(start))]];
    default:
      return start === undefined ? size : [];
  }
}

/** Where the next page begins; undefined when this was the last. */
export function nextPage(paging: Paging, page: PageEnd): PageStart | undefined {
  const next = following(paging, page);
  if (typeof next === 'string' && next.length > MAX_START)
    throw new OutsideError('config', 'NEXT_INVALID', 'What should lead to the next page is far too long for that.', {
      hint: 'Check where the next cursor or address is found in the answer.',
    });
  return next;
}

function following(paging: Paging, page: PageEnd): PageStart | undefined {
  const { start, count, envelope } = page;
  if ('more' in paging && paging.more !== undefined && isNothing(at(envelope, parsePath(paging.more)))) return undefined;
  switch (paging.type) {
    case 'none':
      return undefined;
    case 'page':
      return count === 0 ? undefined : ((start as number | undefined) ?? paging.start) + 1;
    case 'offset':
      return count === 0 ? undefined : ((start as number | undefined) ?? 0) + count;
    case 'cursor':
      return nextCursor(paging, page);
    case 'next_url':
      return address(at(envelope, parsePath(paging.next)), page);
    default:
      return address(linkOf(page.headers.link, 'next'), page);
  }
}

function nextCursor({ next: place, last_field: field, more }: Extract<Paging, { type: 'cursor' }>, page: PageEnd): string | undefined {
  if (field !== undefined && page.count === 0) return undefined;
  const next = field === undefined ? at(page.envelope, parsePath(place ?? '')) : page.lastField(field);
  if (!isNothing(next)) return JSON.stringify(next);
  // To end here would leave records unread in silence.
  if (field !== undefined || more !== undefined)
    throw new OutsideError(
      'config',
      'NEXT_MISSING',
      `There is more, but no cursor to ask for it${field === undefined ? '' : `: the last record has no "${field}"`}.`,
      {
        hint: 'Check `paging`: where the next cursor is found, and where the answer says that there is more.',
      },
    );
  return undefined;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false;
}

function address(next: unknown, { url: from, origin }: PageEnd): string | undefined {
  if (isNothing(next)) return undefined;
  const url = typeof next === 'string' ? URL.parse(next, from) : null;
  if (!url)
    throw new OutsideError('config', 'NEXT_INVALID', 'What should be the address of the next page is no address.', {
      hint: 'Check `paging.next`. If it is a cursor rather than an address, use the paging `cursor`.',
    });
  if (url.origin !== origin)
    throw new OutsideError('config', 'NEXT_ELSEWHERE', `The next page is said to be at ${url.origin}, but the API is at ${origin}.`, {
      field: 'base_url',
      hint: 'Our credentials are only sent to the base URL. If the other address is right, use it in `base_url`.',
    });
  url.hash = '';
  return url.href;
}

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+\s*(?:=\s*(?:"[^"]*"|[^\s;,"]*))?)*)/g;

const PARAMETER = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]*)))?/g;

/** The address of a relation in a `Link` header. */
export function linkOf(header: string | string[] | undefined, relation: string): string | undefined {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  for (const [, target = '', parameters = ''] of text.matchAll(LINK)) {
    for (const [, name = '', quoted, plain = ''] of parameters.matchAll(PARAMETER)) {
      if (name.toLowerCase() !== 'rel') continue;
      if ((quoted ?? plain).toLowerCase().split(/\s+/).includes(relation)) return target;
      break;
    }
  }
  return undefined;
}
