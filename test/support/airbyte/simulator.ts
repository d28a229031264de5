import type { ServerResponse } from 'node:http';
import { handlerOf } from '../../../src/connectors/airbyte/runtime/errors/handler.ts';
import { type Part, partOf, partsOf, typeOf } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { Reply } from '../../../src/connectors/airbyte/runtime/request/reply.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import { parseDuration } from '../../../src/connectors/airbyte/runtime/time/moment.ts';
import { evaluateText, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { type ApiServer, type Received, startApi } from '../api-server.ts';
import { type AskedBounds, boundsIn, grainOf, sliceFault } from './bounds.ts';
import { credentialFault, tokenAnswer } from './credentials.ts';
import { encoded } from './encode.ts';
import { type ApiEndpoint, endpointFor, endpointsOf } from './endpoints.ts';
import { Exports } from './exports.ts';
import { type SimulatedRecord, listFor, type Timeline, timelineOf } from './lists.ts';
import { continued, linked, type ListPaging, pageStart, pagingOf, placed } from './pages.ts';
import { readSlots, slotsOf } from './slots.ts';
import { numberOf } from './values.ts';

/** No stream of this size asks so often. */
const MOST_REQUESTS = 5000;

/** Says in a request to the simulator where it was meant to go. */
export const MEANT_FOR = 'x-meant-for';

/** One list of the API: all records that a request without its page and its slice asks for. */
interface List {
  readonly items: readonly SimulatedRecord[];
  readonly endpoint: ApiEndpoint;
  /** Tokens that the manifest made of our answers, and where they lead. */
  readonly tokens: Map<string, number>;
  lastEnd: number;
  readonly asked: AskedBounds[];
}

/** What is known of an endpoint once it was asked. */
interface KnownEndpoint {
  readonly slots: ReturnType<typeof slotsOf>;
  readonly paging: ListPaging;
  readonly timeline: Timeline | undefined;
}

/** What the API has seen since it was told to begin anew. */
interface Watch {
  /** What was wrong with the requests. */
  readonly faults: string[];
  readonly requests: Received[];
  /** Requests for tokens. */
  readonly logins: Received[];
  /** Records of the stream itself that were given. */
  readonly served: Set<SimulatedRecord>;
  readonly lists: Set<List>;
  /** Answers that were none: 429 and 500. */
  refused: number;
}

/**
 * An API made from a manifest. It has lists of records that fit the stream, cuts them into the pages that the manifest asks for, gives of a
 * slice what belongs to it, fails now and then, and looks at every request. All streams share its port: requests say where they were meant to go.
 */
export class AirbyteSimulator {
  readonly #api: ApiServer;
  readonly #lists = new Map<string, List>();
  readonly #known = new Map<ApiEndpoint, KnownEndpoint>();
  readonly #exports = new Exports();
  #session: AirbyteSession | undefined;
  #endpoints: readonly ApiEndpoint[] = [];
  #failed = new Set<string>();
  #became = 0;
  /** Records up to this generation are there. */
  generation: 1 | 2 = 1;
  /** Whether requests are looked at. */
  isWatching = true;
  /** Days from the first run to the records of the second generation; 0 puts them before it. */
  newAfter = 1.5;
  /** Of so many requests, one is refused at first; 0 is none. */
  refuses = 0;
  watch: Watch = newWatch();

  constructor(api: ApiServer) {
    this.#api = api;
  }

  get port(): number {
    return this.#api.port;
  }

  /** From now on it is the API of this stream. */
  become(session: AirbyteSession, stream: Part): void {
    this.#session = session;
    this.#became = session.clock.now();
    this.#endpoints = endpointsOf(session, stream);
    this.#lists.clear();
    this.#known.clear();
    this.generation = 1;
    this.begin();
  }

  /** Forgets what it has seen, and fails anew. */
  begin(): void {
    this.watch = newWatch();
    this.#api.received.length = 0;
    this.#failed = new Set();
    for (const list of this.#lists.values()) list.asked.length = 0;
  }

  /** What was wrong, and records of the lists that were asked for that nobody fetched. */
  faults(): string[] {
    const faults = new Set(this.watch.faults);
    for (const list of this.watch.lists) {
      const sync = partOf(list.endpoint.stream['incremental_sync']);
      const fault = sliceFault(list.asked, this.#grain(sync), isShared(list.endpoint));
      if (fault !== undefined) faults.add(fault);
    }
    return [...faults];
  }

  /** The records of the stream that are in lists that were asked for, whether they were given or not. */
  offered(): SimulatedRecord[] {
    return [...this.watch.lists].filter(({ endpoint }) => endpoint.isMain).flatMap(({ items }) => this.#present(items));
  }

  /** Whether requests for the stream have said what is new. */
  filters(): boolean {
    return [...this.watch.lists].some(({ endpoint, asked }) => endpoint.isMain && asked.some(({ from }) => from !== undefined));
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  answer(request: Received, response: ServerResponse): void {
    const endpoint = endpointFor(this.#endpoints, request);
    const isLogin = endpoint?.purpose === 'token' || endpoint?.purpose === 'login';
    if (this.isWatching) this.watch[isLogin ? 'logins' : 'requests'].push(request);
    const session = this.#session;
    if (this.watch.requests.length > MOST_REQUESTS) {
      this.watch.faults.push('it asks without end');
      send(response, 400, {}, '{}');
      return;
    }
    if (!endpoint || !session) {
      this.watch.faults.push(`no such address: ${request.url.origin}${request.url.pathname}`);
      send(response, 404, {}, '{}');
      return;
    }
    if (isLogin) {
      const parts = authenticatorsIn(this.#endpoints.map(({ requester }) => requester));
      send(response, 200, {}, JSON.stringify(tokenAnswer(session, parts)));
      return;
    }
    const fault = credentialFault(session, partOf(endpoint.requester['authenticator']), request);
    if (fault !== undefined) {
      this.watch.faults.push(fault);
      send(response, 401, {}, '{}');
      return;
    }
    const status = this.#refusal(session, endpoint, request);
    if (status !== undefined) {
      this.watch.refused++;
      send(response, status, status === 429 ? { 'retry-after': '1' } : {}, '{"message":"not now"}');
      return;
    }
    this.#give(session, endpoint, request, response);
  }

  /** Whether a request fails the first time it comes: only where the manifest says that it is then to be made again. */
  #refusal(session: AirbyteSession, { requester }: ApiEndpoint, { method, url, body }: Received): number | undefined {
    // However the client writes its body, and whenever it asks.
    const key = withoutNow(`${method} ${url.pathname} ${url.search} ${body.replace(/\s/g, '')}`, session.clock.now());
    if (this.refuses === 0 || this.#failed.has(key) || numberOf(key) % this.refuses !== 0) return undefined;
    this.#failed.add(key);
    const status = numberOf(`status ${key}`) % 2 === 0 ? 429 : 500;
    const reply = new Reply({ status, headers: { 'retry-after': '1' }, url }, Buffer.from('{"message":"not now"}'));
    const { action } = handlerOf(session, partOf(requester['error_handler'])).judge(reply);
    return action === 'RETRY' || action === 'RATE_LIMITED' ? status : undefined;
  }

  #give(session: AirbyteSession, endpoint: ApiEndpoint, request: Received, response: ServerResponse): void {
    const { retriever, purpose } = endpoint;
    const { slots, paging, timeline } = this.#knownOf(session, endpoint);
    if (purpose === 'polling' || purpose === 'targets') {
      send(response, 200, {}, JSON.stringify(this.#exports.state(session, retriever, request, purpose)));
      return;
    }
    if (purpose === 'creation') {
      const { list, values } = readSlots(slots, request);
      this.#note(session, endpoint, timeline, paging, list, boundsIn(partOf(endpoint.stream['incremental_sync']), { list, values }));
      send(response, 200, {}, JSON.stringify(this.#exports.create(retriever, request)));
      return;
    }
    const asked = purpose === 'download' ? (this.#exports.behind(request) ?? request) : request;
    const creation =
      purpose === 'download' ? this.#endpoints.find((one) => one.purpose === 'creation' && one.retriever === retriever) : undefined;
    const read = readSlots(creation ? this.#knownOf(session, creation).slots : slots, asked);
    const bounds = boundsIn(partOf(endpoint.stream['incremental_sync']), read);
    const list = this.#note(session, endpoint, timeline, paging, read.list, bounds);
    const found = this.#present(list.items).filter((item) => this.#belongs(item, bounds, endpoint));
    const pageRead = creation ? readSlots(slots, request) : read;
    const whole = `${request.url.href} ${request.body} ${JSON.stringify(request.headers)}`;
    const start = this.#startOf(list, paging, pageRead, whole, found);
    const end = paging.kind === 'none' ? found.length : Math.min(start + paging.size, found.length);
    list.lastEnd = end;
    const page = found.slice(start, end);
    if (endpoint.isMain && this.isWatching) for (const item of page) this.watch.served.add(item);
    const next = end < found.length ? end : undefined;
    const records = page.map(({ record }) => record);
    const body = placed(paging, continued(paging, records, next));
    const headers = linked(paging, body, request.url, next, { number: Math.floor(start / paging.size) + 1, found: page.length });
    const { body: bytes, type } = encoded(partOf(retriever[purpose === 'download' ? 'download_decoder' : 'decoder']), body);
    send(response, 200, { 'content-type': type, ...headers }, bytes);
  }

  #startOf(list: List, paging: ListPaging, read: ReturnType<typeof readSlots>, whole: string, found: readonly SimulatedRecord[]): number {
    const start = pageStart(
      paging,
      read,
      whole,
      found.map(({ record }) => record),
    );
    if (start !== undefined) return Number.isFinite(start) ? Math.max(0, start) : 0;
    const token = read.values.token ?? '';
    const known = list.tokens.get(token) ?? list.lastEnd;
    list.tokens.set(token, known);
    return known;
  }

  #belongs({ at }: SimulatedRecord, { from, to }: AskedBounds, { stream }: ApiEndpoint): boolean {
    const sync = partOf(stream['incremental_sync']);
    if (at === undefined) return true;
    const grain = this.#grain(sync);
    if (from !== undefined && at < from) return false;
    return to === undefined || (from === to ? at <= to + grain : at < to + grain);
  }

  #grain(sync: Part | undefined): bigint {
    const written = sync?.['cursor_granularity'];
    const text = written === undefined ? '' : evaluateText(written, scopeOf(this.#session?.config ?? {}, sync));
    return grainOf(text === '' ? undefined : parseDuration(text), sync);
  }

  #present(items: readonly SimulatedRecord[]): SimulatedRecord[] {
    return items.filter(({ generation }) => generation <= this.generation);
  }

  #note(
    session: AirbyteSession,
    endpoint: ApiEndpoint,
    timeline: Timeline | undefined,
    paging: ListPaging,
    name: string,
    bounds: AskedBounds,
  ): List {
    const key = `${withoutNow(name, session.clock.now())} ${String(endpoint.stream['name'])}`;
    let list = this.#lists.get(key);
    if (!list) {
      list = {
        items: listFor(session, endpoint, key, countsOf(endpoint, paging), timeline),
        endpoint,
        tokens: new Map(),
        lastEnd: 0,
        asked: [],
      };
      this.#lists.set(key, list);
    }
    if (this.isWatching) {
      list.asked.push(bounds);
      this.watch.lists.add(list);
    }
    return list;
  }

  #knownOf(session: AirbyteSession, endpoint: ApiEndpoint): KnownEndpoint {
    let known = this.#known.get(endpoint);
    if (!known) {
      known = {
        slots: slotsOf(session, endpoint),
        paging: pagingOf(session, endpoint, slotsOf(session, endpoint)),
        timeline: timelineOf(session, endpoint, this.#became, this.newAfter === 0 ? undefined : this.#became + this.newAfter * 86_400_000),
      };
      this.#known.set(endpoint, known);
    }
    return known;
  }
}

export async function startSimulator(): Promise<AirbyteSimulator> {
  let simulator: AirbyteSimulator | undefined;
  const api = await startApi((request, response) => {
    const meant = String(request.headers[MEANT_FOR] ?? 'http://nowhere.invalid/');
    const { [MEANT_FOR]: _, ...headers } = request.headers;
    simulator?.answer({ ...request, url: new URL(meant), headers }, response);
  });
  simulator = new AirbyteSimulator(api);
  return simulator;
}

/** How many records a list has, and how many more come between two runs. */
function countsOf({ isMain, parentKeys }: ApiEndpoint, { kind, size }: ListPaging): readonly [number, number] {
  const isParent = !isMain || parentKeys.length > 0;
  if (kind === 'none') return isParent || size < 3 ? [2, 1] : [3, 2];
  return isParent ? [Math.min(size, 3) + 1, 1] : [2 * size + 1, 2];
}

/** Whether the same list may be asked for by several partitions: the parent of its stream has a parent, and may have a record below several. */
function isShared({ retriever }: ApiEndpoint): boolean {
  const parents = partsOf(partOf(retriever['partition_router'])?.['parent_stream_configs']);
  return parents.some(({ stream }) => partOf(partOf(stream)?.['retriever'])?.['partition_router'] !== undefined);
}

function newWatch(): Watch {
  return { faults: [], requests: [], logins: [], served: new Set(), lists: new Set(), refused: 0 };
}

function authenticatorsIn(requesters: readonly Part[]): Part[] {
  const found: Part[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk);
    const part = partOf(value);
    if (!part) return;
    if (typeOf(part).endsWith('Authenticator')) found.push(part);
    for (const [name, member] of Object.entries(part)) if (/authenticat/.test(name) || Array.isArray(value)) walk(member);
    if (part['type'] === 'SelectiveAuthenticator') Object.values(partOf(part['authenticators']) ?? {}).forEach(walk);
  };
  requesters.forEach(walk);
  return found;
}

const DAYS_OF_NOW = 3 * 86_400_000;

/** Times that are about now are the same however often they are asked for. */
export function withoutNow(text: string, now: number): string {
  const isNow = (time: number): boolean => Math.abs(time - now) < DAYS_OF_NOW;
  return text
    .replace(
      /\d{4}-\d{2}-\d{2}(?:(?:[T +]|%20)\d{2}(?::|%3A)\d{2}(?:(?::|%3A)\d{2})?(?:\.\d+)?(?:Z|(?:[+-]|%2B)\d{2}(?::|%3A)?\d{2})?)?/g,
      (match) => (isNow(Date.parse(match.slice(0, 10))) ? 'now' : match),
    )
    .replace(/\b1[78]\d{8}(\d{3})?(\d{3})?(\.\d+)?\b/g, (match) => {
      const value = Number(match);
      return isNow(value > 1e15 ? value / 1000 : value > 1e12 ? value : value * 1000) ? 'now' : match;
    });
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}
