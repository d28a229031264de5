import { ConnectorError } from '../errors.ts';
import { at, parsePath } from './paths.ts';
import { isJsonObject } from './records.ts';

/** Whether a refusal is about the records that were sent rather than about us or the API. */
export function isRecordFault(status: number, isNamed: boolean): boolean {
  // Where the path names the record, "not found" means this record; else the path itself is wrong.
  if (status === 404 || status === 410) return isNamed;
  return status === 400 || status === 409 || status === 412 || status === 413 || status === 414 || status === 422;
}

/** The records of a batch that an API refused while it took others, by their place, each with its reason. */
export function failuresIn(
  text: string,
  { path, count, wordsOf }: { path: string | undefined; count: number; wordsOf: (text: string) => string },
): Map<number, string> {
  if (path === undefined)
    throw new ConnectorError('config', 'RESULTS_UNKNOWN', 'The API tells what became of each record (207), but not where.', {
      hint: 'Say with `write.results` where the answer holds one result for each record.',
    });
  const results = at(parsed(text), parsePath(path));
  if (!Array.isArray(results) || results.length !== count)
    throw new ConnectorError('config', 'RESULTS_MISSING', `The answer to ${count} records does not hold as many results at "${path}".`, {
      hint: 'Check `write.results`.',
    });
  const failures = new Map<number, string>();
  results.forEach((result, index) => {
    if (!isFailure(result)) return;
    const said = wordsOf(JSON.stringify(result));
    failures.set(index, `The API refused it${said && `: ${said}`}`);
  });
  return failures;
}

function isFailure(result: unknown): boolean {
  if (!isJsonObject(result)) return false;
  const status = result['status'] ?? result['code'];
  const { error, errors, success } = result;
  const hasErrors = Array.isArray(errors) ? errors.length > 0 : errors !== undefined && errors !== null && errors !== false;
  return (
    (typeof status === 'number' && status >= 400) ||
    (error !== undefined && error !== null && error !== false) ||
    hasErrors ||
    success === false
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
