import { isJsonObject } from '../../../src/lib/exact-json.ts';
import { decoderOf } from '../../../src/connectors/airbyte/runtime/decode/decoder.ts';
import { evaluateTexts, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { paginatorOf } from '../../../src/connectors/airbyte/runtime/paging/paginator.ts';
import { type Part, partOf, partsOf, textAt, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { putAt, removeAt, valueAt } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import type { ApiEndpoint } from './endpoints.ts';
import { PAGE_PARAMETER, type ReadSlots, type RequestSlot } from './slots.ts';

/** What a manifest says of the pages of a list. */
export interface ListPaging {
  readonly kind: 'none' | 'offset' | 'page' | 'cursor';
  readonly size: number;
  readonly first: number;
  readonly isAddress: boolean;
  /** The expressions that look for the next page in an answer. */
  readonly expressions: string;
  /** The record is the whole answer. */
  readonly isBare: boolean;
  readonly path: readonly string[];
}

/** Where the manifest does not say how large a page is. */
const USUAL_SIZE = 3;

export function pagingOf(session: AirbyteSession, { retriever, purpose }: ApiEndpoint, slots: readonly RequestSlot[]): ListPaging {
  const part = partOf(retriever[purpose === 'download' ? 'download_paginator' : 'paginator']);
  const strategy = partOf(part?.['pagination_strategy']);
  const decoder = decoderOf(session, partOf(retriever['decoder']));
  const extractor = partOf(retriever[purpose === 'download' ? 'download_extractor' : '']) ?? extractorIn(retriever);
  const path = evaluateTexts(Array.isArray(extractor?.['field_path']) ? extractor['field_path'] : [], scopeOf(session.config, extractor));
  const expressions = `${textAt(strategy, 'cursor_value') ?? ''} ${textAt(strategy, 'stop_condition') ?? ''}`;
  const kinds: Record<string, ListPaging['kind']> = { OffsetIncrement: 'offset', PageIncrement: 'page', CursorPagination: 'cursor' };
  const isBare = path.length === 0 && pathsIn(expressions).length > 0;
  const asked = /(?:<=?|==|!=)\s*(\d+)/.exec(textAt(strategy, 'stop_condition') ?? '')?.[1];
  const size = paginatorOf(session, part, decoder).size ?? (asked === undefined || Number(asked) < 2 ? USUAL_SIZE : Number(asked));
  const isAddress = typeOf(partOf(part?.['page_token_option'])) === 'RequestPath';
  // A manifest that counts pages but does not say which one it wants only has one, which is not full.
  const isAsked = isAddress || slots.some(({ roles }) => roles.some((role) => role.startsWith('token')));
  const kind = (typeOf(part) !== 'NoPagination' && kinds[typeOf(strategy)]) || 'none';
  return {
    kind: isAsked ? kind : 'none',
    size: isBare ? 1 : isAsked || kind === 'none' ? size || USUAL_SIZE : Math.min(size - 1, USUAL_SIZE),
    first: Number(strategy?.['start_from_page'] ?? 0) || 0,
    isAddress,
    expressions,
    isBare,
    path,
  };
}

function extractorIn(retriever: Part): Part | undefined {
  const extractor = partOf(partOf(retriever['record_selector'])?.['extractor']);
  return typeOf(extractor) === 'CombinedExtractor' ? partsOf(extractor?.['extractors'])[0] : extractor;
}

/** Stands in every token that the simulator makes; it may be looked for as a word, a number to the base 16 or a part of an address. */
const MARK = '5ae0ffff';

/** Which record a page begins with, by the token that asks for it; undefined when the token is not one of ours. */
export function pageStart(
  { kind, size, first, expressions }: ListPaging,
  { values }: ReadSlots,
  request: string,
  records: readonly unknown[],
): number | undefined {
  const marked = new RegExp(`${MARK}(\\d+)`).exec(request)?.[1];
  if (marked !== undefined) return Number(marked);
  const { token } = values;
  if (token === undefined || token === '' || token === 'None' || kind === 'none') return 0;
  if (kind === 'offset') return Number(token);
  if (kind === 'page') return (Number(token) - first) * size;
  // A cursor that is a member of the last record.
  const index = records.findIndex((record) => hasMember(record, token));
  if (index < 0) return undefined;
  return /(?:last_record|response).*\+\s*1/.test(expressions) ? index : index + 1;
}

function hasMember(record: unknown, text: string): boolean {
  return isJsonObject(record) && Object.values(record).some((value) => String(value) === text);
}

/** An answer with these records, where the manifest looks for them. */
export function placed({ path, isBare }: ListPaging, records: readonly unknown[]): unknown {
  if (isBare) return structuredClone(records[0] ?? {});
  const each = path.indexOf('*');
  const wrapped = (value: unknown, steps: readonly string[]): unknown =>
    steps.reduceRight<unknown>((inner, step) => (step === '*' ? [inner] : { [step]: inner }), value);
  if (each < 0) return wrapped(records, path);
  const entries = records.map((record) => wrapped(record, path.slice(each + 1)));
  return wrapped(entries, path.slice(0, each));
}

/** Where the next page is asked for with a member of the last record that records do not have otherwise, the last one has it. */
export function continued({ expressions }: ListPaging, records: readonly Record<string, unknown>[], next: number | undefined): unknown[] {
  const name = /last_record(?:\[['"]|\.get\(['"]|\.)(\w+)/.exec(expressions)?.[1];
  const last = records.at(-1);
  if (name === undefined || !last || last[name] !== undefined || next === undefined) return [...records];
  return [...records.slice(0, -1), { ...last, [name]: `${MARK}${next}` }];
}

/** Adds what leads to the next page, or says that there is none, and answers the headers that do. */
export function linked(
  paging: ListPaging,
  body: unknown,
  url: URL,
  next: number | undefined,
  page: { number: number; found: number },
): Record<string, string> {
  if (paging.kind !== 'cursor') return {};
  const { expressions: text, isAddress } = paging;
  const address = new URL(url);
  address.searchParams.set(PAGE_PARAMETER, `${MARK}${next}`);
  const cut = /(?:regex_search|split)\(\s*['"]([$\w]+)=/.exec(text)?.[1];
  if (cut !== undefined) address.searchParams.set(cut, `${MARK}${next}`);
  const token = isAddress || cut !== undefined ? decodeURIComponent(address.href) : `${MARK}${next}`;
  const headers: Record<string, string> = {};
  if (next !== undefined) {
    if (/headers.*link/i.test(text)) headers['link'] = `<${address.href}>; rel="next"`;
    for (const [, name = ''] of text.matchAll(/headers(?:\.get\(['"]|\[['"])([\w-]+)/g))
      if (name.toLowerCase() !== 'link') headers[name.toLowerCase()] = token;
  }
  const isNothing = paging.isBare && page.found === 0;
  if (isJsonObject(body) && !isNothing) linkWithin(body, text, next === undefined ? undefined : token, page);
  return headers;
}

const FLAG = /^(has|have|is)(_|[A-Z])|more|done|finished/;
const INVERSE = /done|finished|last/i;

function linkWithin(body: Record<string, unknown>, text: string, token: string | undefined, page: { number: number; found: number }): void {
  const paths = pathsIn(text);
  for (const { steps, isGiven } of paths) {
    const name = steps.at(-1) ?? '';
    const isPrefix = paths.some((other) => other.steps.length > steps.length && steps.every((step, index) => other.steps[index] === step));
    const known = valueAt(body, steps);
    if (Array.isArray(known) || (known !== undefined && /^(num|id)$/.test(name))) continue;
    if (/^(count|size|total_?count)$/i.test(name)) putAt(body, steps, page.found);
    else if (name === 'num') putAt(body, steps, page.number);
    else if (FLAG.test(name) && !isPrefix) putAt(body, steps, INVERSE.test(name) ? token === undefined : token !== undefined);
    else if (token !== undefined) {
      if (!isPrefix) putAt(body, steps, token);
    } else if (text.includes("== ''")) putAt(body, steps, '');
    else if (isGiven) removeAt(body, steps);
    else {
      putAt(body, steps, null);
      if (isPrefix || /not in |not defined/.test(text)) removeAt(body, steps);
    }
  }
}

/** The members of the answer that expressions look at: `response.a.get('b')`. */
function pathsIn(text: string): { steps: string[]; isGiven: boolean }[] {
  const found: { steps: string[]; isGiven: boolean }[] = [];
  for (const [, chain = ''] of text.matchAll(/response((?:\.get\(['"][^'"]+['"][^)]*\)|\.\w+|\[['"][^'"]+['"]\])+)/g)) {
    const steps = [...chain.matchAll(/\.get\(['"]([^'"]+)['"][^)]*\)|\[['"]([^'"]+)['"]\]|\.(\w+)/g)]
      .map(([, a, b, c]) => a ?? b ?? c ?? '')
      .filter((step) => !/^(get|items|keys|split|strip|lower)$/.test(step));
    if (steps.length > 0) found.push({ steps, isGiven: chain.includes('.get(') });
  }
  return found;
}
