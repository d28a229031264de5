import type { OutsideError } from '../errors.ts';
import type { Answer } from './exchange.ts';

/** Why a redirect is not followed: there were too many, it leads out of the web or out of safety, or more than reading would be sent on. */
export type Refusal = 'endless' | 'no web address' | 'unsafe' | 'not reading';

export interface Journey {
  method: string;
  url: URL;
  /** The origin that our keys are for. */
  home: string;
  /** Sends the request to one place. Keys and all else that is private go along only when that is `home`. */
  send(url: URL, isHome: boolean): Promise<Answer>;
  /** The words for a redirect that is not followed. */
  refused(why: Refusal, from: URL, status: number): OutsideError;
}

export const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Asks, and follows where the other side leads. Each place is reached by a request of its own, so each address is judged. */
export async function follow(journey: Journey): Promise<Answer> {
  const { method, home } = journey;
  let { url } = journey;
  for (let hops = 0; ; hops++) {
    const answer = await journey.send(url, url.origin === home);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
    answer.discard();
    const to = URL.parse(location, url);
    const why = hops >= MAX_REDIRECTS ? 'endless' : faultOf(method, journey.url, url, to, answer.status);
    if (why !== undefined || to === null) throw journey.refused(why ?? 'no web address', url, answer.status);
    to.username = '';
    to.password = '';
    to.hash = '';
    url = to;
  }
}

function faultOf(method: string, first: URL, from: URL, to: URL | null, status: number): Refusal | undefined {
  if (!to || !/^https?:$/.test(to.protocol)) return 'no web address';
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'unsafe';
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading || (status >= 307 && to.origin === first.origin) ? undefined : 'not reading';
}
