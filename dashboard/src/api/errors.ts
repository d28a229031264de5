import { placeWords } from '../parts/words/place-words.ts';
import { sentence } from '../parts/words/sentence.ts';

interface Fault {
  /** Where, for programs: `streams[3].fields[7].from`. */
  field: string;
  reason: string;
}

/** What stands before a service (a proxy, a load balancer) says while it is away, in words of its own that are for nobody. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The message of this one is made of its first fault, and names places as programs do: we say all of them in our own words. */
const FAULTS_ONLY = 'INVALID_PARAMS';

/** What the service answered, or that it did not answer. The message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  /** Every field that was at fault, and why. */
  readonly faults: readonly Fault[];

  constructor(status: number, code: string, message: string, faults: readonly Fault[] = []) {
    super(code === FAULTS_ONLY && faults.length > 0 ? faultWords(faults).join(' ') : message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }

  /** Whether the same request may well succeed in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || AWAY.has(this.status);
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: { errors?: Fault[] } };
}

export async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  if (body?.error === undefined && AWAY.has(status)) return unreachable(status);
  const { code = 'UNKNOWN', message = `The service answered with status ${status} and no explanation.`, details } = body?.error ?? {};
  return new ApiError(status, code, message, details?.errors);
}

export function unreachable(status = 0): ApiError {
  return new ApiError(status, 'UNREACHABLE', 'Syncline cannot be reached. It may be restarting, or the connection is down.');
}

/** The service has answered that it is well, and what it said was lost half-way. Who asked can ask again; what was done is not to be done twice. */
export function brokenOff(method: string): ApiError {
  return method === 'GET'
    ? unreachable()
    : new ApiError(0, 'ANSWER_LOST', 'It is done, but the answer was lost on its way. Do not send it again: load the page anew to see it.');
}

/** The sentence for whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What happened, and a sentence for each fault, by names that the caller has for its path. What is said already is not said twice. */
export function sentencesOf(error: unknown, place?: (path: string) => string): string[] {
  if (!(error instanceof ApiError) || error.faults.length === 0) return [sentenceOf(error)];
  if (error.code === FAULTS_ONLY) return faultWords(error.faults, place);
  const said = error.message.toLowerCase();
  const unsaid = error.faults.filter(({ reason }) => !said.includes(reason.replace(/\.$/, '').toLowerCase()));
  return [error.message, ...faultWords(unsaid, place)];
}

function faultWords(faults: readonly Fault[], place = placeWords): string[] {
  return faults.map(({ field, reason }) => sentence(`${place(field)}: ${reason}`));
}
