import type { Field } from '../../contract.ts';
import type { Row } from '../../canonical.ts';
import { isJsonObject } from '../../../lib/exact-json.ts';
import { toJsonText } from '../../json-values.ts';
import { at } from '../answer/paths.ts';
import { type Complaint, complaintIn } from '../answer/verdict.ts';
import type { WriteConfig } from '../config/config.ts';
import type { GraphqlCall } from '../config/graphql.ts';
import { complaintAbout, type Fates } from './results.ts';

/** How the field of a mutation that is about the record at a place is called in the answer. */
const aliasOf = (place: number): string => `r${place}`;

/** One mutation for several records: the call for each under a name of its own, with variables of its own. */
export function mutationOf(
  { call, variables }: GraphqlCall,
  items: readonly { json: string; row: Row }[],
  fields: ReadonlyMap<string, { index: number; type: Field['type'] }>,
): string {
  const declared: string[] = [];
  const values: string[] = [];
  const calls = items.map(({ json, row }, place) => {
    for (const { name, type, field } of variables) {
      const known = field === undefined ? undefined : fields.get(field);
      declared.push(`$${name}_${place}: ${type}`);
      values.push(`${JSON.stringify(`${name}_${place}`)}:${known ? toJsonText(known.type, row[known.index] ?? null) : json}`);
    }
    return `${aliasOf(place)}: ${call.trim().replace(/\$([_A-Za-z][_0-9A-Za-z]*)/g, (_, name: string) => `$${name}_${place}`)}`;
  });
  const query = `mutation(${declared.join(', ')}) { ${calls.join(' ')} }`;
  return `{"query":${JSON.stringify(query)},"variables":{${values.join(',')}}}`;
}

/**
 * What the answer to such a mutation says of each record; undefined when it says nothing of single ones. The fields of a mutation are done
 * one after the other. Where one fails that must not be null, nothing is told of the others: those before it are done, those behind are not.
 */
export function fatesIn(answer: unknown, write: WriteConfig, count: number): Fates | undefined {
  const data = at(answer, ['data']);
  const complaints = new Map<number, Complaint>();
  const errors = at(answer, ['errors']);
  for (const error of Array.isArray(errors) ? errors : []) {
    const [first] = [at(error, ['path'])].flat();
    const place = typeof first === 'string' && /^r\d+$/.test(first) ? Number(first.slice(1)) : count;
    // An error that is about none of them is about all.
    if (place >= count) return undefined;
    const complaint = complaintIn({ errors: [error] }, { errors: write.errors });
    if (complaint && !complaints.has(place)) complaints.set(place, complaint);
  }
  if (!isJsonObject(data)) {
    if (complaints.size === 0) return undefined;
    const last = Math.max(...complaints.keys());
    return { complaints, unsent: Array.from({ length: count - last - 1 }, (_, i) => last + 1 + i) };
  }
  for (let place = 0; place < count; place++) {
    if (complaints.has(place)) continue;
    const complaint = aboutResult(data[aliasOf(place)], write);
    if (complaint) complaints.set(place, complaint);
  }
  return { complaints, unsent: [] };
}

const NOTHING: Complaint = { kind: 'data', words: 'it answered nothing for this record', code: undefined, retryAfter: undefined };

/** A result, or a list of one, with errors of the user's where mutations usually have them. */
function aboutResult(given: unknown, write: WriteConfig): Complaint | undefined {
  const result: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (result === null || result === undefined || (Array.isArray(result) && result.length === 0)) return NOTHING;
  const told = complaintAbout(result, write);
  if (told || !isJsonObject(result) || write.result_success || write.result_errors?.path !== undefined) return told;
  for (const name of ['userErrors', 'mutationErrors', 'validationErrors']) {
    const complaint = complaintIn(result, {
      errors: { top_level: false, web_page: true, auth: [], transient: [], ...write.result_errors, path: name },
    });
    if (complaint) return complaint;
  }
  // Where the answer is one of several types, an error has a code and words of its own.
  return typeof result['errorCode'] === 'string' ? complaintIn({ errors: [result] }, { errors: write.result_errors }) : undefined;
}
