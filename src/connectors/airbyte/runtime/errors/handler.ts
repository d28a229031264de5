import { isJsonObject } from '../../../../lib/exact-json.ts';
import { evaluateText, holds, type TemplateScope, scopeOf } from '../evaluate.ts';
import { type Part, partsOf, textAt, typeOf, unknownPart } from '../parts.ts';
import type { Reply } from '../request/reply.ts';
import type { AirbyteSession } from '../session.ts';
import { type Backoff, backoffOf } from './backoff.ts';
import { type Action, type Resolution, usualResolution } from './resolution.ts';

/** Judges answers, and says how long to wait before asking again. */
export interface ErrorHandler {
  judge(reply: Reply): Resolution;
  /** How often a request is repeated at most. */
  readonly retries: number;
  readonly backoffs: readonly Backoff[];
}

const RETRIES = 5;

export function handlerOf(session: AirbyteSession, part: Part | undefined): ErrorHandler {
  switch (typeOf(part)) {
    case '':
    case 'DefaultErrorHandler':
      return defaultHandler(session, part ?? {});
    case 'CompositeErrorHandler': {
      const handlers = partsOf(part?.['error_handlers']).map((inner) => handlerOf(session, inner));
      return {
        judge: (reply) => judgeInTurn(handlers, reply),
        retries: handlers[0]?.retries ?? RETRIES,
        backoffs: handlers.flatMap(({ backoffs }) => backoffs),
      };
    }
    default:
      throw unknownPart(part, 'error handler');
  }
}

/** These end the search; a handler that would fail leaves it to the next. */
const FINAL: ReadonlySet<Action> = new Set(['SUCCESS', 'RETRY', 'IGNORE', 'RESET_PAGINATION', 'REDUCE_PAGE_SIZE', 'SPLIT_REQUEST_WINDOW']);

function judgeInTurn(handlers: readonly ErrorHandler[], reply: Reply): Resolution {
  let last: Resolution | undefined;
  for (const handler of handlers) {
    last = handler.judge(reply);
    if (FINAL.has(last.action)) return last;
  }
  return last ?? usualResolution(reply.status);
}

function defaultHandler(session: AirbyteSession, part: Part): ErrorHandler {
  const scope = scopeOf(session.config, part);
  const filters = partsOf(part['response_filters']).map((filter) => filterOf(scope, filter));
  const retries = part['max_retries'];
  return {
    judge: (reply) => {
      for (const matches of filters) {
        const resolution = matches(reply);
        if (resolution) return resolution;
      }
      return usualResolution(reply.status);
    },
    retries: retries === undefined || retries === null ? RETRIES : Math.max(0, Math.trunc(Number(evaluateText(retries, scope))) || 0),
    backoffs: partsOf(part['backoff_strategies']).map((strategy) => backoffOf(session, strategy)),
  };
}

type Matches = (reply: Reply) => Resolution | undefined;

function filterOf({ config }: TemplateScope, part: Part): Matches {
  const scope = scopeOf(config, part);
  const codes = new Set((Array.isArray(part['http_codes']) ? part['http_codes'] : []).map(Number));
  const predicate = textAt(part, 'predicate') ?? '';
  const words = textAt(part, 'error_message_contains') ?? '';
  const action = textAt(part, 'action') as Action | undefined;
  return (reply) => {
    const variables = () => ({
      response: jsonOf(reply),
      headers: reply.shownHeaders,
      request_url: `${reply.url.origin}${reply.url.pathname}`,
    });
    const isMatch =
      codes.has(reply.status) ||
      (predicate !== '' && holds(predicate, scope, variables())) ||
      (words !== '' && errorWords(reply).includes(words));
    if (!isMatch || action === undefined) return undefined;
    const usual = usualResolution(reply.status);
    const written = textAt(part, 'error_message') ?? '';
    const failure = textAt(part, 'failure_type') as Resolution['failure'];
    return {
      action,
      failure: (action === 'FAIL' ? failure : undefined) ?? usual.failure ?? 'system_error',
      message: written === '' ? undefined : evaluateText(written, scope, variables()),
    };
  };
}

function jsonOf(reply: Reply): unknown {
  return reply.json() ?? {};
}

const WORDS = [
  'message',
  'messages',
  'error',
  'errors',
  'failures',
  'failure',
  'detail',
  'err',
  'error_message',
  'msg',
  'reason',
  'status_message',
];

/** What an API says about an error, wherever its kind of APIs says it. */
export function errorWords(reply: Reply): string {
  const value = reply.json();
  return (value === undefined ? reply.text : wordsIn(value, 0)) ?? '';
}

function wordsIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth > 10) return undefined;
  if (Array.isArray(value)) return value.flatMap((entry) => wordsIn(entry, depth + 1) ?? []).join(', ');
  if (!isJsonObject(value)) return undefined;
  const name = WORDS.find((candidate) => Object.hasOwn(value, candidate) && Boolean(value[candidate]));
  return name === undefined ? undefined : wordsIn(value[name], depth + 1);
}
