import { placeWords } from '../parts/words/place-words.ts';
import { sentence } from '../parts/words/sentence.ts';

interface Fault {
  /** Where, for programs: `streams[3].fields[7].from`. */
  field: string;
  reason: string;
}

/** What the service answered, or that it did not answer. The message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  /** Every field that was at fault, and why. */
  readonly faults: readonly Fault[];

  constructor(status: number, code: string, message: string, faults: readonly Fault[] = []) {
    // What the service says names places as programs do: we say it in our own words.
    super(faults.length > 0 ? faultWords(faults).join(' ') : message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }

  /** Whether the same request may well succeed in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: { errors?: Fault[] } };
}

export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const {
    code = 'UNKNOWN',
    message = `The service answered with status ${response.status} and no explanation.`,
    details,
  } = body.error ?? {};
  return new ApiError(response.status, code, message, details?.errors);
}

export function unreachable(): ApiError {
  return new ApiError(0, 'UNREACHABLE', 'Syncline cannot be reached. It may be restarting, or the connection is down.');
}

/** The sentence for whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same with a sentence for each fault, by names that the caller has for its path. */
export function sentencesOf(error: unknown, place?: (path: string) => string): string[] {
  return error instanceof ApiError && error.faults.length > 0 ? faultWords(error.faults, place) : [sentenceOf(error)];
}

function faultWords(faults: readonly Fault[], place = placeWords): string[] {
  return faults.map(({ field, reason }) => sentence(`${place(field)}: ${reason}`));
}
