import { isJsonObject, type JsonObject, scalarText } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { WriteConfig } from '../config/config.ts';
import { at, parsePath } from '../answer/paths.ts';
import { type Complaint, complaintIn } from '../answer/verdict.ts';

/** Whether a refusal is about the records that were sent rather than about us or the API. */
export function isRecordFault(status: number, isNamed: boolean): boolean {
  // Where the path names the record, "not found" means this record; else the path itself is wrong.
  if (status === 404 || status === 410) return isNamed;
  return status === 400 || status === 409 || status === 412 || status === 413 || status === 414 || status === 422;
}

/** The keys of the records of a request, in their order. */
export interface Keys {
  readonly names: readonly string[];
  readonly values: readonly (readonly (string | null)[])[];
}

/** What became of the records of a request, by their place. */
export interface Fates {
  readonly complaints: ReadonlyMap<number, Complaint>;
  /** Those that the API has not come to. */
  readonly unsent: readonly number[];
}

/** The complaints about single records of a batch; undefined where the answer has no result for each. */
export function complaintsIn(
  answer: unknown,
  write: WriteConfig,
  { count, keys }: { count: number; keys: Keys },
): Map<number, Complaint> | undefined {
  const results = at(answer, parsePath(write.results ?? ''));
  if (!Array.isArray(results) || results.length !== count) return undefined;
  const complaints = new Map<number, Complaint>();
  const places = placesByKey(results, keys);
  results.forEach((result, index) => {
    const complaint = complaintAbout(result, write);
    if (complaint) complaints.set(places?.[index] ?? index, complaint);
  });
  return complaints;
}

/** Which record each result is about, where all of them name it: an API may answer in another order than it was asked in. */
function placesByKey(results: readonly unknown[], { names, values }: Keys): number[] | undefined {
  if (names.length === 0) return undefined;
  const known = new Map(values.map((value, index) => [JSON.stringify(value), index]));
  const places = results.map((result) => known.get(JSON.stringify(names.map((name) => scalarText(at(result, [name])) ?? null))));
  const isWhole = new Set(places).size === results.length && !places.includes(undefined);
  return isWhole ? (places as number[]) : undefined;
}

/** What a result says by the declaration, and otherwise by what is usual. */
export function complaintAbout(result: unknown, { result_success: success, result_errors: errors }: WriteConfig): Complaint | undefined {
  const declared = complaintIn(result, { success, errors });
  if (declared || success) return declared;
  const told = isJsonObject(result) ? result : typeof result === 'boolean' ? {} : { status: result };
  // Taken as an error itself, the result tells its code and its words wherever they usually are.
  return result === false || isFailure(told) ? complaintIn({ errors: [told] }, { errors }) : undefined;
}

/** Some write the status of HTTP as a text, or a word beside the code. */
function isFailure({ status, code }: JsonObject): boolean {
  const told = [status, code].map((value) => (typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value));
  return (told.find((value) => typeof value === 'number') ?? 0) >= 400;
}

export function resultsUnknown(): OutsideError {
  return new OutsideError('config', 'RESULTS_UNKNOWN', 'The API tells what became of each record (207), but not where.', {
    hint: 'Say with `write.results` where the answer holds one result for each record.',
  });
}

export function resultsMissing(path: string, count: number): OutsideError {
  return new OutsideError('config', 'RESULTS_MISSING', `The answer to ${count} records does not hold as many results at "${path}".`, {
    hint: 'Check `write.results`.',
  });
}
