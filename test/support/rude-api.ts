import type { ServerResponse } from 'node:http';
import type { Random } from '../crash/random.ts';
import { type ApiServer, type Received, sendJson, startApi } from './api-server.ts';

/** What such an API does instead of answering as it should. */
const FAULTS = ['500', '429', 'reset', 'reset afterwards', 'silence afterwards', 'errors'] as const;
export type ApiFault = (typeof FAULTS)[number];

export interface Applied {
  key: string;
  body: Record<string, unknown>;
}

/**
 * An API that honours idempotency keys and otherwise behaves badly: of so many requests one fails, before or after the work was done.
 * It lives in the process of the test, so it remembers while the service is killed.
 */
export interface RudeApi extends ApiServer {
  /** Every record that was taken, in order; one that is taken twice is there twice. */
  applied: Applied[];
  faults: Map<ApiFault, number>;
  /** How often a key came again with something else: it must not. */
  mismatches: string[];
  /** How large a part of the requests fails. */
  rate: number;
}

export interface RudeOptions {
  random: Random;
  rate: number;
  /** What can be read, page by page, in the order of their ids. */
  records?: readonly { id: number }[];
  pageSize?: number;
}

export async function startRudeApi({ random, rate, records = [], pageSize = 20 }: RudeOptions): Promise<RudeApi> {
  const seen = new Map<string, string>();
  const applied: Applied[] = [];
  const mismatches: string[] = [];
  const faults = new Map<ApiFault, number>();

  const take = ({ headers, body, method, url }: Received): number => {
    const key = String(headers['idempotency-key']);
    const known = seen.get(key);
    const sent = `${method} ${url.pathname} ${body}`;
    if (known !== undefined && known !== sent) mismatches.push(`${known} / ${sent}`);
    // As the first time.
    if (known === undefined) applied.push({ key, body: JSON.parse(body) as Record<string, unknown> });
    seen.set(key, sent);
    return 201;
  };
  const give = ({ url }: Received): object => {
    const start = Number(url.searchParams.get('cursor') ?? 0);
    const since = Number(url.searchParams.get('since') ?? 0);
    const found = records.filter(({ id }) => id >= since);
    return { items: found.slice(start, start + pageSize), next: start + pageSize < found.length ? start + pageSize : null };
  };

  const api = await startApi((request, response) => {
    const isRead = request.method === 'GET';
    const fault = random() < rude.rate ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
    if (fault === undefined) {
      if (isRead) sendJson(response, give(request));
      else sendJson(response, { ok: true }, take(request));
      return;
    }
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    if (!isRead && fault.endsWith('afterwards')) take(request);
    misbehave(fault, response, isRead ? JSON.stringify(give(request)) : '{"ok":true}');
  });
  const rude: RudeApi = Object.assign(api, { applied, faults, mismatches, rate });
  return rude;
}

function misbehave(fault: ApiFault, response: ServerResponse, answer: string): void {
  if (fault === '500') sendJson(response, { message: 'broken' }, 500);
  else if (fault === '429') sendJson(response, {}, 429, { 'retry-after': '0.05' });
  else if (fault === 'errors') {
    const error = { message: 'Throttled', extensions: { code: 'THROTTLED', retryAfter: 0.05 } };
    sendJson(response, { items: [], data: null, errors: [error] });
  } else if (fault === 'reset') response.socket?.resetAndDestroy();
  else if (fault === 'reset afterwards') {
    // In the middle of the answer.
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(answer.length) });
    response.write(answer.slice(0, answer.length / 2), () => response.socket?.resetAndDestroy());
  }
  // And silence is silence.
}
