import { isJsonObject, keptNumber } from '../../../../lib/exact-json.ts';
import type { Decoder } from '../decode/decoder.ts';
import { evaluate, holds, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, typeOf, unknownPart } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { inject, noOptions, type Options } from '../request/options.ts';
import type { Reply } from '../request/reply.ts';
import type { AirbyteSession } from '../session.ts';
import { shownSlice, type Slice } from '../slices/slice.ts';

/** What is known of a page when it has been read. */
interface ReadPage {
  readonly reply: Reply;
  readonly slice: Slice;
  /** The token that asked for it. */
  readonly token: unknown;
  /** Records that were found, before any filter. */
  readonly found: number;
  /** Records that were given on. */
  readonly given: number;
  readonly last: unknown;
  /** How many records were asked for, where it was not as many as the manifest says. */
  readonly size?: number | undefined;
}

/** Leads from page to page. */
export interface Paginator {
  /** The token of the first page; undefined where it is asked for without. */
  readonly first: unknown;
  next(page: ReadPage): unknown;
  /** `size` is given where it is another than the manifest's own. */
  options(token: unknown, size?: number): Options;
  /** Where a token is an address. */
  path(token: unknown): string | undefined;
  readonly size: number | undefined;
}

interface Strategy {
  readonly first: unknown;
  readonly size: number | undefined;
  next(page: ReadPage): unknown;
}

const NONE: Paginator = { first: undefined, next: () => undefined, options: noOptions, path: () => undefined, size: undefined };

export function paginatorOf(session: AirbyteSession, part: Part | undefined, decoder: Decoder): Paginator {
  if (!part || typeOf(part) === 'NoPagination') return NONE;
  if (typeOf(part) !== 'DefaultPaginator' && typeOf(part) !== '') throw unknownPart(part, 'paginator');
  const strategy = strategyOf(session, partOf(part['pagination_strategy']), decoder);
  const [sizeOption, tokenOption] = [partOf(part['page_size_option']), partOf(part['page_token_option'])];
  const isPath = typeOf(tokenOption) === 'RequestPath';
  const scope = scopeOf(session.config, part);
  return {
    first: strategy.first,
    size: strategy.size,
    next: (page) => {
      const token = strategy.next(page);
      return isNothing(token) ? undefined : token;
    },
    path: (token) => (isPath && !isNothing(token) ? pythonText(token) : undefined),
    options: (token, size = strategy.size) => {
      const options = noOptions();
      if (tokenOption && !isPath && token !== undefined && token !== null)
        inject(options, tokenOption, token, scopeWith(scope, tokenOption));
      if (sizeOption && size) inject(options, sizeOption, size, scopeWith(scope, sizeOption));
      return options;
    },
  };
}

function scopeWith(scope: ReturnType<typeof scopeOf>, part: Part): ReturnType<typeof scopeOf> {
  return { config: scope.config, parameters: { ...scope.parameters, ...scopeOf(scope.config, part).parameters } };
}

/** Python takes these for false: there is no next page. */
function isNothing(token: unknown): boolean {
  if (Array.isArray(token)) return token.length === 0;
  if (isJsonObject(token)) return Object.keys(token).length === 0;
  return token === undefined || token === null || token === '' || token === 0 || token === false;
}

function strategyOf(session: AirbyteSession, part: Part | undefined, decoder: Decoder): Strategy {
  const scope = scopeOf(session.config, part);
  const size = sizeOf(part, scope);
  switch (typeOf(part)) {
    case 'OffsetIncrement':
      return {
        first: part?.['inject_on_first_request'] === true ? 0 : undefined,
        size,
        next: ({ reply, found, token, size: reduced }) => {
          const asked = reduced ?? size ?? sizeOf(part, scope, decoder.first(reply));
          if (found === 0 || (asked !== undefined && asked > 0 && found < asked)) return undefined;
          return number(token) + found;
        },
      };
    case 'PageIncrement': {
      const start = Math.trunc(Number(part?.['start_from_page'] ?? 0)) || 0;
      return {
        first: part?.['inject_on_first_request'] === true ? start : undefined,
        size,
        next: ({ found, token }) => {
          if (found === 0 || (size !== undefined && size > 0 && found < size)) return undefined;
          return (token === undefined || token === null ? start : number(token)) + 1;
        },
      };
    }
    case 'CursorPagination':
      return {
        first: undefined,
        size,
        next: ({ reply, slice, given, last, size: reduced }) => {
          const variables = {
            response: decoder.first(reply),
            headers: reply.pagingHeaders,
            last_record: last ?? null,
            last_page_size: given,
            page_size: reduced ?? size ?? null,
            stream_slice: shownSlice(slice),
          };
          const stops = part?.['stop_condition'];
          if (stops !== undefined && stops !== null && holds(stops, scope, variables)) return undefined;
          return evaluate(part?.['cursor_value'], scope, variables);
        },
      };
    default:
      throw unknownPart(part, 'pagination strategy');
  }
}

function sizeOf(part: Part | undefined, scope: ReturnType<typeof scopeOf>, response?: unknown): number | undefined {
  const written = part?.['page_size'];
  if (written === undefined || written === null || written === '') return undefined;
  if (typeof written === 'number') return written;
  if (response === undefined && /\bresponse\b/.test(pythonText(written))) return undefined;
  const value = evaluate(pythonText(written), scope, response === undefined ? {} : { response });
  const size = Number(keptNumber(value) ?? value);
  if (Number.isSafeInteger(size)) return size;
  throw manifestFault(
    'PAGE_SIZE_INVALID',
    `The page size of the manifest comes out as ${pythonText(value)}, which is no whole number.`,
    'Check the settings that it is made of.',
  );
}

function number(token: unknown): number {
  const value = Number(keptNumber(token) ?? token ?? 0);
  return Number.isFinite(value) ? value : 0;
}
