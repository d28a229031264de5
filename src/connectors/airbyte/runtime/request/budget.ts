import { findPattern } from '../../interpolation/pattern.ts';
import type { JsonObject } from '../../../../lib/exact-json.ts';
import type { WaitingClock } from '../clock.ts';
import { evaluateText, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, partsOf, textAt, typeOf, unknownPart } from '../parts.ts';
import { parseDuration } from '../time/moment.ts';
import type { Prepared } from './prepared.ts';
import type { Reply } from './reply.ts';

/** How many requests an API wants in a while, as the manifest says. */
export interface CallBudget {
  /** Waits until a request may leave. */
  acquire(request: Prepared, signal: AbortSignal): Promise<void>;
  /** What an answer tells of it. */
  learn(request: Prepared, reply: Reply): void;
}

interface Policy {
  matches(request: Prepared): boolean;
  /** Milliseconds until there is room; 0 takes it. */
  wait(request: Prepared): number;
  learn(left: number | undefined, resets: number | undefined): void;
}

const unlimited: CallBudget = { acquire: async () => {}, learn: () => {} };

export function budgetOf(config: JsonObject, part: Part | undefined, clock: WaitingClock): CallBudget {
  if (!part) return unlimited;
  const policies = partsOf(part['policies']).map((policy) => policyOf(config, policy, clock));
  const find = (request: Prepared): Policy | undefined => policies.find((policy) => policy.matches(request));
  const resetHeader = (textAt(part, 'ratelimit_reset_header') ?? 'ratelimit-reset').toLowerCase();
  const leftHeader = (textAt(part, 'ratelimit_remaining_header') ?? 'ratelimit-remaining').toLowerCase();
  const codes = new Set(
    (Array.isArray(part['status_codes_for_ratelimit_hit']) ? part['status_codes_for_ratelimit_hit'] : [429]).map(Number),
  );
  return {
    acquire: async (request, signal) => {
      const policy = find(request);
      for (let wait = policy?.wait(request) ?? 0; wait > 0; wait = policy?.wait(request) ?? 0) await clock.sleep(wait, signal);
    },
    learn: (request, reply) => {
      const number = (name: string): number | undefined =>
        /^\d+$/.test(reply.headers[name] ?? '') ? Number(reply.headers[name]) : undefined;
      const resets = number(resetHeader);
      find(request)?.learn(
        number(leftHeader) ?? (codes.has(reply.status) ? 0 : undefined),
        resets === undefined ? undefined : resets * 1000,
      );
    },
  };
}

function policyOf(config: JsonObject, part: Part, clock: WaitingClock): Policy {
  const matchers = partsOf(part['matchers']).map((matcher) => matcherOf(config, matcher));
  const matches = (request: Prepared): boolean => matchers.length === 0 || matchers.some((matcher) => matcher.matches(request));
  const weightOf = (request: Prepared): number => matchers.find((matcher) => matcher.matches(request))?.weight ?? 1;
  switch (typeOf(part)) {
    case 'UnlimitedCallRatePolicy':
      return { matches, wait: () => 0, learn: () => {} };
    case 'MovingWindowCallRatePolicy': {
      const rates = partsOf(part['rates']).map((rate) => ({
        limit: Math.max(1, Math.trunc(Number(evaluateText(rate['limit'], scopeOf(config, rate)))) || 1),
        interval: intervalOf(rate['interval']),
      }));
      return { matches, ...movingWindow(rates, weightOf, clock) };
    }
    case 'FixedWindowCallRatePolicy':
      return { matches, ...fixedWindow(Number(part['call_limit']) || 1, intervalOf(part['period']), weightOf, clock) };
    default:
      throw unknownPart(part, 'call rate policy');
  }
}

function intervalOf(written: unknown): number {
  const duration = parseDuration(String(written));
  if (!duration)
    throw manifestFault('DURATION_INVALID', `The API budget of the manifest has no duration such as PT1M, but "${String(written)}".`);
  return Number(duration.micros / 1000n) + duration.months * 30 * 86_400_000;
}

interface Rate {
  limit: number;
  interval: number;
}

function movingWindow(rates: readonly Rate[], weightOf: (request: Prepared) => number, clock: WaitingClock): Omit<Policy, 'matches'> {
  let taken: { at: number; weight: number }[] = [];
  const longest = Math.max(0, ...rates.map(({ interval }) => interval));
  const take = (weight: number): void => void taken.push({ at: clock.now(), weight });
  return {
    wait: (request) => {
      const now = clock.now();
      const weight = weightOf(request);
      taken = taken.filter(({ at }) => at > now - longest);
      let wait = 0;
      for (const { limit, interval } of rates) {
        let room = limit - Math.min(weight, limit);
        // The newest are counted first: who does not fit any more has to have left the window.
        for (const { at, weight: used } of taken.toReversed()) {
          if (at <= now - interval) break;
          room -= used;
          if (room < 0) {
            wait = Math.max(wait, at + interval - now);
            break;
          }
        }
      }
      if (wait <= 0) take(weight);
      return Math.max(0, wait);
    },
    learn: (left, resets) => {
      if (left !== 0 || resets !== undefined) return;
      const now = clock.now();
      const free = rates.map(
        ({ limit, interval }) => limit - taken.filter(({ at }) => at > now - interval).reduce((sum, { weight }) => sum + weight, 0),
      );
      const room = Math.min(...free);
      if (room > 0) take(room);
    },
  };
}

function fixedWindow(limit: number, period: number, weightOf: (request: Prepared) => number, clock: WaitingClock): Omit<Policy, 'matches'> {
  let resets = clock.now() + 10 * 86_400_000;
  let used = 0;
  const roll = (): void => {
    if (clock.now() <= resets) return;
    resets += period;
    used = 0;
  };
  return {
    wait: (request) => {
      roll();
      const weight = Math.min(weightOf(request), limit);
      if (used + weight > limit) return Math.max(1, resets - clock.now());
      used += weight;
      return 0;
    },
    learn: (left, at) => {
      roll();
      if (left !== undefined && limit - used > left) used = limit - left;
      if (at !== undefined) resets = at;
    },
  };
}

interface Matcher {
  matches(request: Prepared): boolean;
  readonly weight: number | undefined;
}

function matcherOf(config: JsonObject, part: Part): Matcher {
  const method = textAt(part, 'method')?.toUpperCase();
  const base = textAt(part, 'url_base')?.replace(/\/+$/, '');
  const pattern = patternOf(textAt(part, 'url_path_pattern'));
  const params = Object.entries(partOf(part['params']) ?? {});
  const headers = Object.entries(partOf(part['headers']) ?? {});
  const weight =
    part['weight'] === undefined || part['weight'] === null
      ? undefined
      : Math.trunc(Number(evaluateText(part['weight'], scopeOf(config, part))));
  return {
    weight: weight === undefined || !(weight >= 1) ? undefined : weight,
    matches: ({ method: asked, url, headers: sent }) =>
      (method === undefined || method === asked) &&
      (base === undefined || base === url.origin) &&
      (pattern === undefined || pattern(url.pathname.replace(/\/+$/, ''))) &&
      params.every(([name, value]) => url.searchParams.get(name) === String(value)) &&
      headers.every(([name, value]) => sent[name.toLowerCase()] === String(value)),
  };
}

/** Patterns of a manifest are matched in steps that are counted: one that would never end must not hold up a run. */
function patternOf(written: string | undefined): ((path: string) => boolean) | undefined {
  if (written === undefined) return undefined;
  const matches = (path: string): boolean => findPattern(written, path) !== undefined;
  try {
    matches('/');
    return matches;
  } catch {
    throw manifestFault('PATTERN_INVALID', `The API budget of the manifest has "${written}", which is no pattern.`);
  }
}
