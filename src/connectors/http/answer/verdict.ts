import { isJsonObject, scalarText } from '../../../lib/exact-json.ts';
import type { ErrorsConfig, Rules } from '../config/outcome.ts';
import { at, parsePath, type Path } from './paths.ts';

// An API may answer 200 and refuse in the body, as every GraphQL API does. Here is told what such an answer means.

/** What an answer complains about. `data` is whatever is neither about us nor about the API's own health. */
export interface Complaint {
  readonly kind: 'auth' | 'throttled' | 'failed' | 'data';
  /** The API's own words, not yet fit to be shown. */
  readonly words: string;
  readonly code: string | undefined;
  /** Seconds after which it wants to be asked again. */
  readonly retryAfter: number | undefined;
}

/** Where APIs have the code of an error, the commonest first. */
const CODE_PLACES: readonly Path[] = [
  ['extensions', 'code'],
  ['code'],
  ['errorCode'],
  ['error_code'],
  ['extensions', 'http', 'status'],
  ['status'],
  ['statusCode'],
  ['type'],
  ['error', 'code'],
  ['error'],
];
const WAIT_PLACES: readonly Path[] = [['extensions', 'retryAfter'], ['extensions', 'retry_after'], ['retryAfter'], ['retry_after']];
const WORD_PLACES: readonly Path[] = ['message', 'detail', 'error_description', 'description', 'title', 'reason', 'msg', 'error'].map(
  (name) => [name],
);

// Compared in capitals and without anything but letters and digits.
const AUTH = setOf(
  'UNAUTHENTICATED UNAUTHORIZED UNAUTHORISED NOT_AUTHENTICATED NOT_AUTHORIZED FORBIDDEN ACCESS_DENIED PERMISSION_DENIED AUTHENTICATION_ERROR ' +
    'AUTHENTICATION_FAILED AUTHENTICATION_REQUIRED AUTHORIZATION_ERROR INVALID_AUTH NOT_AUTHED INVALID_TOKEN INVALID_ACCESS_TOKEN TOKEN_EXPIRED ' +
    'EXPIRED_TOKEN INVALID_API_KEY INVALID_CREDENTIALS INVALID_SESSION_ID 401 403',
);
const THROTTLED = setOf(
  'THROTTLED RATE_LIMITED RATE_LIMIT RATE_LIMIT_EXCEEDED RATELIMITED TOO_MANY_REQUESTS REQUEST_LIMIT_EXCEEDED SLOW_DOWN 429',
);
const FAILED = setOf(
  'INTERNAL_SERVER_ERROR INTERNAL_ERROR INTERNAL SERVER_ERROR TIMEOUT REQUEST_TIMEOUT GATEWAY_TIMEOUT BAD_GATEWAY UNAVAILABLE SERVICE_UNAVAILABLE ' +
    'TEMPORARILY_UNAVAILABLE DOWNSTREAM_SERVICE_ERROR UNABLE_TO_LOCK_ROW 408 425 500 502 503 504',
);
const WEIGHT = { auth: 3, throttled: 2, failed: 1, data: 0 } as const;

/**
 * What a parsed answer complains about; undefined when it is a success. `isOwn` knows the members that a record has itself: where the
 * answer may be that record, they are no words about it.
 */
export function complaintIn(answer: unknown, rules: Rules, isOwn: (name: string) => boolean = () => false): Complaint | undefined {
  const { success, errors } = rules;
  const told = [
    ...((errors?.top_level ?? true) ? errorsAtTop(answer, rules, isOwn) : []),
    ...(errors?.path === undefined ? [] : errorsAt(answer, parsePath(errors.path))),
  ].map((error) => complaintOf(error, answer, errors));
  const [worst] = told.sort((a, b) => WEIGHT[b.kind] - WEIGHT[a.kind]);
  if (worst) return worst;
  if (!success) return undefined;
  const found = scalarText(at(answer, parsePath(success.path)));
  if (found === success.equals) return undefined;
  const asked = complaintOf(answer, answer, errors);
  const words = (errors?.message === undefined ? firstText(answer, WORD_PLACES) : asked.words) ?? '';
  const said = found === undefined ? `there is no "${success.path}"` : `"${success.path}" is ${found.slice(0, 100)}`;
  return { ...asked, words: words === '' ? `${said}, not ${success.equals}` : words };
}

/** `errors`, `error`, and a `success` or `ok` that is false. */
function errorsAtTop(answer: unknown, { success }: Rules, isOwn: (name: string) => boolean): unknown[] {
  const single = isOwn('error') ? [] : errorsAt(answer, ['error']);
  // A bare text or `true` has its code and its words beside it.
  const told = [...errorsAt(answer, ['errors']), ...single.map((error) => (isJsonObject(error) ? error : answer))];
  if (told.length > 0 || success) return told;
  return ['success', 'ok'].some((name) => !isOwn(name) && at(answer, [name]) === false) ? [answer] : [];
}

/** What there is at a place, as a list of errors; empty lists, objects, texts and `false` are none. */
function errorsAt(answer: unknown, path: Path): unknown[] {
  const found = at(answer, path);
  if (Array.isArray(found)) return found.filter((error) => error !== null);
  const isError = found === true || (typeof found === 'string' && found !== '') || (isJsonObject(found) && Object.keys(found).length > 0);
  return isError ? [found] : [];
}

function complaintOf(error: unknown, answer: unknown, rules: ErrorsConfig | undefined): Complaint {
  const code = codeOf(error, rules?.code);
  const plain = code === undefined ? '' : plainCode(code);
  const isOneOf = (codes: readonly string[] | undefined): boolean => (codes ?? []).some((own) => own === code || plainCode(own) === plain);
  const kind = isOneOf(rules?.auth)
    ? 'auth'
    : isOneOf(rules?.transient)
      ? 'throttled'
      : AUTH.has(plain)
        ? 'auth'
        : THROTTLED.has(plain)
          ? 'throttled'
          : FAILED.has(plain)
            ? 'failed'
            : 'data';
  return { kind, code, words: wordsOf(error, rules?.message), retryAfter: waitOf(error) ?? waitForCost(answer) };
}

function codeOf(error: unknown, path: string | undefined): string | undefined {
  if (path !== undefined) return scalarText(at(error, parsePath(path)));
  const found = CODE_PLACES.flatMap((place) => scalarText(at(error, place)) ?? []);
  return found.find((text) => [AUTH, THROTTLED, FAILED].some((codes) => codes.has(plainCode(text)))) ?? found[0];
}

function wordsOf(error: unknown, path: string | undefined): string {
  if (typeof error === 'string') return error;
  if (path !== undefined) return scalarText(at(error, parsePath(path))) ?? '';
  const found = firstText(error, WORD_PLACES);
  if (found !== undefined) return found;
  // Such as `{ price: ['must be positive'] }`.
  return isJsonObject(error)
    ? (Object.values(error)
        .flat()
        .find((value) => typeof value === 'string') ?? '')
    : '';
}

function firstText(value: unknown, places: readonly Path[]): string | undefined {
  return places.map((place) => at(value, place)).find((found): found is string => typeof found === 'string' && found !== '');
}

function waitOf(error: unknown): number | undefined {
  for (const place of WAIT_PLACES) {
    const seconds = Number(scalarText(at(error, place)) ?? Number.NaN);
    if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  }
  return undefined;
}

/** An API that counts what queries cost tells how fast the account fills up again. */
function waitForCost(answer: unknown): number | undefined {
  const numberAt = (...path: string[]): number => Number(scalarText(at(answer, ['extensions', 'cost', ...path])) ?? Number.NaN);
  const missing = numberAt('requestedQueryCost') - numberAt('throttleStatus', 'currentlyAvailable');
  const seconds = missing / numberAt('throttleStatus', 'restoreRate');
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}

function plainCode(code: string): string {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(plainCode));
}
