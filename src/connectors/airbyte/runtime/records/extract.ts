import { isJsonObject } from '../../../../lib/exact-json.ts';
import { evaluateTexts, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, partsOf, textAt, typeOf, unknownPart } from '../parts.ts';
import type { AirbyteSession } from '../session.ts';
import { hasWildcard, putAt, removeAt, valueAt, valuesAt } from './dpath.ts';

/** Finds the records in a decoded body. What is dropped, but counts for the size of the page, is null. */
export type Extract = (body: unknown) => readonly unknown[];

/** Stands for an empty record that was left out: the page has had one more. */
export const DROPPED = Symbol('dropped');

export function extractorOf(session: AirbyteSession, part: Part | undefined): Extract {
  switch (typeOf(part)) {
    case 'DpathExtractor':
    case '':
      return dpathExtractor(session, part ?? {});
    case 'CombinedExtractor':
      return combinedExtractor(session, part ?? {});
    case 'ResponseToFileExtractor':
      return (body) => [body];
    default:
      throw unknownPart(part, 'record extractor');
  }
}

function dpathExtractor(session: AirbyteSession, part: Part): Extract {
  const scope = scopeOf(session.config, part);
  const path = evaluateTexts(Array.isArray(part['field_path']) ? part['field_path'] : [], scope);
  const expander = partOf(part['record_expander']);
  const expand = expander && expanderOf(session, expander);
  const isWild = hasWildcard(path);
  const extract = (body: unknown): readonly unknown[] => {
    const found = path.length === 0 ? body : isWild ? valuesAt(body, path) : valueAt(body, path);
    if (Array.isArray(found)) return found;
    return isEmpty(found) ? [] : [found];
  };
  return expand ? (body) => extract(body).flatMap(expand) : extract;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

function combinedExtractor(session: AirbyteSession, part: Part): Extract {
  const extractors = partsOf(part['extractors']).map((inner) => extractorOf(session, inner));
  const skips = part['skip_empty_records'] === true;
  const recordsOf = (extract: Extract, body: unknown): readonly unknown[] => {
    const records = extract(body);
    return skips ? records.map((record) => (isEmpty(record) ? DROPPED : record)) : records;
  };
  if (textAt(part, 'mode') === 'first_match')
    return (body) => {
      for (const extract of extractors) {
        const records = recordsOf(extract, body);
        if (records.some((record) => record !== DROPPED)) return records;
      }
      return [];
    };
  return (body) => extractors.flatMap((extract) => recordsOf(extract, body));
}

/** Makes records of the entries of lists within a record. */
function expanderOf(session: AirbyteSession, part: Part): (record: unknown) => readonly unknown[] {
  const scope = scopeOf(session.config, part);
  const path = evaluateTexts(Array.isArray(part['expand_records_from_field']) ? part['expand_records_from_field'] : [], scope);
  if (part['truncated_list_retriever'])
    throw manifestFault(
      'COMPONENT_UNSUPPORTED',
      'The manifest fetches the rest of a list that is cut off in its record, which Syncline does not do.',
    );
  const keepsParent = part['remain_original_record'] === true;
  const mergesParent = part['merge_parent'] === true;
  const emitsParent = textAt(part, 'on_no_records') === 'emit_parent';
  const copies = partsOf(part['parent_fields']).map((copy) => ({
    from: evaluateTexts(Array.isArray(copy['parent_path']) ? copy['parent_path'] : [], scope),
    to: evaluateTexts(Array.isArray(copy['record_path']) ? copy['record_path'] : [], scope),
  }));
  const carries = keepsParent || mergesParent || copies.length > 0;
  return (record) => {
    if (!isJsonObject(record) || path.length === 0) return [record];
    const lists = valuesAt(record, path).filter((value) => Array.isArray(value)) as unknown[][];
    const items = lists.flat();
    if (items.length === 0) return emitsParent ? [record] : [];
    const base = mergesParent ? withoutLists(record, path) : {};
    return items.map((item) => {
      if (!isJsonObject(item) && !carries) return item;
      const made: Record<string, unknown> = {
        ...(copyOf(base) as Record<string, unknown>),
        ...(isJsonObject(item) ? item : { value: item }),
      };
      for (const { from, to } of copies) putAt(made, to, valueAt(record, from) ?? null);
      if (keepsParent) made['original_record'] = copyOf(record);
      return made;
    });
  };
}

function withoutLists(record: Readonly<Record<string, unknown>>, path: readonly string[]): Record<string, unknown> {
  const copy = copyOf(record) as Record<string, unknown>;
  removeAt(copy, path);
  return copy;
}

/** A copy that shares nothing with the record; numbers that are kept as they were written stay so. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)]));
}
