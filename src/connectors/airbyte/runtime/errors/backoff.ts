import { TemplateError } from '../../interpolation/failures.ts';
import { findPattern } from '../../interpolation/pattern.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import { evaluate, evaluateText, scopeOf } from '../evaluate.ts';
import { type Part, textAt, typeOf, unknownPart } from '../parts.ts';
import type { Reply } from '../request/reply.ts';
import type { AirbyteSession } from '../session.ts';

/** Seconds to wait before a request is repeated; undefined leaves it to the next strategy. `attempt` counts from 1. */
export type Backoff = (reply: Reply | undefined, attempt: number) => number | undefined;

export function backoffOf(session: AirbyteSession, part: Part): Backoff {
  const scope = scopeOf(session.config, part);
  const number = (name: string): number | undefined => {
    const given = part[name];
    if (given === undefined || given === null || given === '') return undefined;
    const value = Number(evaluateText(given, scope));
    return Number.isFinite(value) ? value : undefined;
  };
  const jitter = (seconds: number): number => seconds + Math.random() * (number('jitter_range_in_seconds') ?? 0) * 2;
  const within = (seconds: number | undefined): number | undefined => {
    const most = number('max_waiting_time_in_seconds');
    if (seconds !== undefined && most !== undefined && seconds >= most) throw tooLong(seconds);
    return seconds;
  };
  switch (typeOf(part)) {
    case 'ConstantBackoffStrategy':
      return () => jitter(number('backoff_time_in_seconds') ?? 0);
    case 'ExponentialBackoffStrategy':
      return (_, attempt) => jitter((number('factor') ?? 5) * 2 ** attempt);
    case 'WaitTimeFromHeader':
      return (reply) => within(headerNumber(reply, evaluateText(part['header'], scope), regexOf(part, scope)));
    case 'WaitUntilTimeFromHeader':
      return (reply) => {
        const until = headerNumber(reply, evaluateText(part['header'], scope), regexOf(part, scope));
        const least = number('min_wait');
        if (!until) return within(least || undefined);
        const wait = until - session.clock.now() / 1000;
        if (least) return within(Math.max(wait, least));
        return wait < 0 ? undefined : within(wait);
      };
    case 'WaitTimeFromResponse':
      return (reply) => {
        const value = evaluate(part['wait_time_in_seconds'], scope, { response: reply?.json() ?? {}, headers: reply?.shownHeaders ?? {} });
        const seconds = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
        return Number.isFinite(seconds) && seconds >= 0 ? within(seconds) : undefined;
      };
    default:
      throw unknownPart(part, 'backoff strategy');
  }
}

function regexOf(part: Part, scope: ReturnType<typeof scopeOf>): string | undefined {
  const written = textAt(part, 'regex');
  return written === undefined ? undefined : `^(?:${evaluateText(written, scope)})`;
}

/** What of a header is meant; all of it where the pattern cannot be used. Its steps are counted, as nobody knows what a manifest brings. */
function meantOf(header: string, regex: string): string {
  try {
    return findPattern(regex, header) ?? header;
  } catch (error) {
    if (error instanceof TemplateError) return header;
    throw error;
  }
}

const MAX_HEADER = 1000;

function headerNumber(reply: Reply | undefined, name: string, regex: string | undefined): number | undefined {
  const header = reply?.headers[name.toLowerCase()]?.slice(0, MAX_HEADER);
  if (!header) return undefined;
  const text = regex === undefined ? header : meantOf(header, regex);
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function tooLong(seconds: number): OutsideError {
  return new OutsideError(
    'transient',
    'RATE_LIMITED',
    `The API wants to be left alone for ${Math.ceil(seconds)} s, longer than the manifest allows.`,
    {
      hint: 'The run is tried again later.',
      retryAfter: Math.ceil(seconds),
    },
  );
}
