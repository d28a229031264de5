import { ConnectorError } from '../errors.ts';
import type { WriteConfig } from './config.ts';
import { at, parsePath } from './paths.ts';
import { isJsonObject } from './records.ts';
import { type Complaint, complaintIn } from './verdict.ts';

/** Whether a refusal is about the records that were sent rather than about us or the API. */
export function isRecordFault(status: number, isNamed: boolean): boolean {
  // Where the path names the record, "not found" means this record; else the path itself is wrong.
  if (status === 404 || status === 410) return isNamed;
  return status === 400 || status === 409 || status === 412 || status === 413 || status === 414 || status === 422;
}

/** The complaints about single records of a batch, by their place; undefined where the answer has no result for each. */
export function complaintsIn(answer: unknown, write: WriteConfig, count: number): Map<number, Complaint> | undefined {
  const results = at(answer, parsePath(write.results ?? ''));
  if (!Array.isArray(results) || results.length !== count) return undefined;
  const complaints = new Map<number, Complaint>();
  results.forEach((result, index) => {
    const complaint = complaintAbout(result, write);
    if (complaint) complaints.set(index, complaint);
  });
  return complaints;
}

/** What a result says by the declaration, and otherwise by what is usual. */
function complaintAbout(result: unknown, { result_success: success, result_errors: errors }: WriteConfig): Complaint | undefined {
  if (!isJsonObject(result)) return success ? complaintIn(result, { success, errors }) : undefined;
  const declared = complaintIn(result, { success, errors });
  if (declared || success) return declared;
  const status = result['status'] ?? result['code'];
  const { error } = result;
  const isFailure = (typeof status === 'number' && status >= 400) || result['success'] === false;
  const hasError = error !== undefined && error !== null && error !== false;
  // Taken as an error itself, the result tells its code and its words wherever they usually are.
  if (isJsonObject(error)) return complaintIn({ errors: [error] }, { errors });
  return isFailure || hasError ? complaintIn({ errors: [result] }, { errors }) : undefined;
}

export function resultsUnknown(): ConnectorError {
  return new ConnectorError('config', 'RESULTS_UNKNOWN', 'The API tells what became of each record (207), but not where.', {
    hint: 'Say with `write.results` where the answer holds one result for each record.',
  });
}

export function resultsMissing(path: string, count: number): ConnectorError {
  return new ConnectorError('config', 'RESULTS_MISSING', `The answer to ${count} records does not hold as many results at "${path}".`, {
    hint: 'Check `write.results`.',
  });
}
