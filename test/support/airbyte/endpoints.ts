import { evaluateText, evaluateTexts, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { type Part, partOf, textAt, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { stepsOf } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import type { Received } from '../api-server.ts';

/** What a request is for. */
type Purpose = 'records' | 'token' | 'login' | 'creation' | 'polling' | 'targets' | 'download' | 'other';

interface HeldPage {
  readonly path: readonly string[];
  readonly stream: Part;
  readonly retriever: Part;
}

/** A place of the API that a stream asks, as the manifest describes it. */
export interface ApiEndpoint {
  readonly purpose: Purpose;
  readonly requester: Part;
  readonly retriever: Part;
  /** The stream that the records belong to. */
  readonly stream: Part;
  /** Whether it is the stream that is read, not one of its parents. */
  readonly isMain: boolean;
  /** What other streams take from the records of this one. */
  readonly parentKeys: readonly (readonly string[])[];
  /** Where its records hold the first page of a child. */
  readonly held: readonly HeldPage[];
  readonly address: RegExp;
  /** How much of the address is fixed: of several that fit, the one that says most is meant. */
  readonly weight: number;
}

const PURPOSES: Readonly<Record<string, Purpose>> = {
  requester: 'records',
  creation_requester: 'creation',
  polling_requester: 'polling',
  download_target_requester: 'targets',
  download_requester: 'download',
  login_requester: 'login',
};

/** All that is asked when a stream is read: itself, its parents, and where tokens come from. */
export function endpointsOf(session: AirbyteSession, stream: Part): ApiEndpoint[] {
  const found: ApiEndpoint[] = [];
  const seen = new Set<unknown>();
  const mains = new Set<unknown>([stream, stream['full_refresh_stream'], stream['incremental_stream']]);
  const taken = new Map<unknown, string[][]>();
  const held = new Map<unknown, HeldPage[]>();
  const add = (part: Part, owner: Part, retriever: Part, purpose: Purpose, template: string): void => {
    const { source, weight } = addressPattern(session, part, template);
    const page = purpose === 'records' ? pageAddress(part, retriever) : undefined;
    const sources = page === undefined ? [source] : [source, addressPattern(session, part, page).source];
    const address = new RegExp(`^(?:${sources.join('|')})/?$`, 's');
    const links = { parentKeys: taken.get(owner) ?? [], held: held.get(owner) ?? [] };
    found.push({ purpose, requester: part, retriever, stream: owner, isMain: mains.has(owner), ...links, address, weight });
  };
  const walk = (node: unknown, owner: Part, retriever: Part, member: string): void => {
    if (Array.isArray(node)) {
      for (const entry of node) walk(entry, owner, retriever, member);
      return;
    }
    const part = partOf(node);
    if (!part) return;
    const type = typeOf(part);
    if (type === 'ParentStreamConfig') {
      take(taken, session, part);
      const path = evaluateTexts(Array.isArray(part['lazy_read_pointer']) ? part['lazy_read_pointer'] : [], scopeOf(session.config, part));
      if (path.length > 0) for (const parent of variantsOf(part['stream'])) held.set(parent, [{ path, stream: owner, retriever }]);
    }
    if (seen.has(part)) return;
    seen.add(part);
    const own = type === 'DeclarativeStream' ? part : owner;
    const reads = type.endsWith('Retriever') ? part : retriever;
    if (type === 'HttpRequester') add(part, own, reads, PURPOSES[member] ?? 'other', wholeAddress(part));
    if (type === 'OAuthAuthenticator') add(part, own, reads, 'token', textAt(part, 'token_refresh_endpoint') ?? 'none');
    for (const [name, value] of Object.entries(part)) if (!name.startsWith('$')) walk(value, own, reads, name);
  };
  walk(stream, stream, {}, '');
  return found;
}

/** Notes what a child takes from the records of a parent. */
function take(taken: Map<unknown, string[][]>, session: AirbyteSession, part: Part): void {
  const scope = scopeOf(session.config, part);
  const extras: unknown[] = Array.isArray(part['extra_fields']) ? part['extra_fields'] : [];
  const paths = [evaluateText(part['parent_key'], scope), ...extras].map((path) => stepsOf(path).map((step) => evaluateText(step, scope)));
  for (const parent of variantsOf(part['stream'])) taken.set(parent, [...(taken.get(parent) ?? []), ...paths]);
}

/** A stream, and the two that it is where it has two ways to be read. */
function variantsOf(stream: unknown): unknown[] {
  const part = partOf(stream);
  return [part, part?.['full_refresh_stream'], part?.['incremental_stream']].filter((variant) => variant !== undefined);
}

/** The endpoint that a request is meant for: the address has to fit, and what the manifest always sends has to be there. */
export function endpointFor(endpoints: readonly ApiEndpoint[], { url, body }: Received): ApiEndpoint | undefined {
  const raw = url.origin + url.pathname;
  const plain = decoded(raw);
  let best: { endpoint: ApiEndpoint; weight: number } | undefined;
  for (const endpoint of endpoints) {
    if (!endpoint.address.test(plain) && !endpoint.address.test(raw)) continue;
    const sent = fixedValues(endpoint.requester).filter((value) => body.includes(value) || url.search.includes(value)).length;
    const weight = endpoint.weight + 100 * (sent - fixedValues(endpoint.requester).length);
    if (!best || weight > best.weight) best = { endpoint, weight };
  }
  return best?.endpoint;
}

/** What is the same in all its requests. */
function fixedValues(requester: Part): string[] {
  const members = ['request_body_json', 'request_body_data', 'request_parameters'].map((name) => partOf(requester[name]) ?? {});
  return members.flatMap((part) => Object.values(part)).filter((value) => typeof value === 'string' && /^\w{3,}$/.test(value)) as string[];
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wholeAddress(part: Part): string {
  const base = textAt(part, 'url_base') ?? textAt(part, 'url') ?? '';
  const path = textAt(part, 'path') ?? '';
  if (path.startsWith('http')) return path;
  return path === '' ? base : `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** Where the manifest makes a path of the number of a page, with words of its own around it. */
export function pathOfPages(retriever: Part): string | undefined {
  const paginator = partOf(retriever['paginator']);
  const value = textAt(partOf(paginator?.['pagination_strategy']), 'cursor_value') ?? '';
  const isMade = typeOf(partOf(paginator?.['page_token_option'])) === 'RequestPath' && /^\{\{[^{}]*\}\}[^{}]+$/.test(value);
  return isMade ? value : undefined;
}

function pageAddress(requester: Part, retriever: Part): string | undefined {
  const path = pathOfPages(retriever);
  return path === undefined ? undefined : wholeAddress({ ...requester, path });
}

const TEMPLATE = /(\{\{.*?\}\}|\{%.*?%\})/s;
/** What only a request knows. */
const OF_REQUEST = /stream_|next_page_token|record|response|target|creation|polling|_slice|parent|now|today/;

function addressPattern(session: AirbyteSession, part: Part, template: string): { source: string; weight: number } {
  const scope = scopeOf(session.config, part);
  let weight = 0;
  const whole = template.includes('{%') && !OF_REQUEST.test(template) ? evaluateText(template, scope) : template;
  const pieces = whole.split(TEMPLATE).map((piece) => {
    if (piece.startsWith('{%')) return '.*';
    const fixed = piece.startsWith('{{') ? (OF_REQUEST.test(piece) ? undefined : evaluateText(piece, scope)) : piece;
    if (fixed === undefined) {
      const { source, length } = expressionPattern(piece.slice(2, -2));
      weight += length;
      return source;
    }
    weight += fixed.length;
    return literal(fixed);
  });
  // The query is looked at by others; a slash that comes out twice or at the end is none.
  const source = pieces.join('').split('\\?')[0] ?? '';
  return { source: source.replace(/\/$/, ''), weight };
}

/** What an expression may come out as: texts and values that are put together, perhaps one of two ways. A value has no slash of its own. */
function expressionPattern(expression: string): { source: string; length: number } {
  const [first = '', ...others] = expression.split(/ if .*? else /s);
  const ways = [first, ...others].map((way) => {
    const parts = way.split(/\s*[~+]\s*/).map((part) => /^\s*\(?['"]([^'"]*)['"]\)?\s*$/.exec(part)?.[1]);
    const isKnown = parts.length > 1 || parts[0] !== undefined || /stream_(partition|slice)/.test(way);
    const source = isKnown ? parts.map((part) => (part === undefined ? '[^/]*' : literal(part))).join('') : '.*';
    return { source: source.split('\\?')[0] ?? '', length: parts.join('').length };
  });
  return { source: `(?:${ways.map(({ source }) => source).join('|')})`, length: Math.max(...ways.map(({ length }) => length)) };
}

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
