import { ApiError } from '../../api/errors.ts';
import { sentenceCase } from '../words/place-words.ts';
import { sentence } from '../words/sentence.ts';

/** What is wrong, as sentences by the place of the field. */
export function faultsByField(error: ApiError | null): ReadonlyMap<string, string> {
  return new Map(error?.faults.map(({ field, reason }) => [field, sentence(sentenceCase(reason))]));
}

/** What the service would say of what is empty and must not be: all of it at once, and before anything is sent. */
export function incomplete(fields: readonly string[]): ApiError | null {
  const faults = fields.map((field) => ({ field, reason: 'is mandatory' }));
  return faults.length === 0 ? null : new ApiError(400, 'INVALID_PARAMS', '', faults);
}
