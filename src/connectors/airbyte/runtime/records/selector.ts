import { isJsonObject } from '../../../../lib/exact-json.ts';
import { holds, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, textAt, typeOf } from '../parts.ts';
import type { AirbyteSession } from '../session.ts';
import { shownSlice, type Slice } from '../slices/slice.ts';
import { copyOf, DROPPED, type Extract, extractorOf } from './extract.ts';
import { normalize } from './normalize.ts';
import type { MutableRecord, Transform } from './transform.ts';

/** Whether a record belongs to what is read, by its cursor. */
export type Keeps = (record: MutableRecord) => boolean;

interface Selection {
  /** Records that were found, before any filter. */
  found: number;
  records: MutableRecord[];
}

/** Takes the records out of decoded bodies and makes them what the manifest wants. */
export interface Selector {
  select(bodies: readonly unknown[], slice: Slice, token: unknown, keeps?: Keeps): Selection;
  /** The same for records that were found elsewhere. */
  make(found: readonly unknown[], slice: Slice, token: unknown, keeps?: Keeps): MutableRecord[];
}

export interface SelectorOptions {
  readonly transforms: readonly Transform[];
  /** Records are chosen by their cursor, which transformations may have made. */
  readonly transformsFirst: boolean;
  readonly schema: () => Part | undefined;
}

export function selectorOf(
  session: AirbyteSession,
  part: Part | undefined,
  { transforms, transformsFirst, schema }: SelectorOptions,
): Selector {
  const scope = scopeOf(session.config, part);
  const extract: Extract = extractorOf(session, partOf(part?.['extractor']));
  const filter = partOf(part?.['record_filter']);
  if (filter && typeOf(filter) !== 'RecordFilter' && typeOf(filter) !== '')
    throw manifestFault(
      'COMPONENT_UNKNOWN',
      `The manifest has a record filter of the type "${typeOf(filter)}", which Syncline does not know.`,
    );
  const condition = textAt(filter, 'condition') ?? '';
  const filterScope = filter ? scopeOf(session.config, filter) : scope;
  const isFirst = typeof part?.['transform_before_filtering'] === 'boolean' ? part['transform_before_filtering'] : transformsFirst;
  const normalizes = part?.['schema_normalization'] === 'Default';
  const changes = transforms.length > 0 || normalizes;
  const make: Selector['make'] = (found, slice, token, keeps) => {
    const shown = shownSlice(slice);
    const variables = {
      stream_slice: shown,
      next_page_token: token === undefined || token === null ? null : { next_page_token: token },
    };
    const passes = (record: MutableRecord): boolean =>
      (keeps?.(record) ?? true) && (condition === '' || holds(condition, filterScope, { ...variables, record }));
    const transform = (record: MutableRecord): void => {
      for (const change of transforms) change(record, shown);
    };
    const wanted = normalizes ? schema() : undefined;
    const records: MutableRecord[] = [];
    for (const value of found) {
      if (value === DROPPED) continue;
      const record = ownRecord(value, changes);
      if (isFirst) transform(record);
      if (!passes(record)) continue;
      if (!isFirst) transform(record);
      if (wanted) normalize(record, wanted);
      records.push(record);
    }
    return records;
  };
  return {
    make,
    select: (bodies, slice, token, keeps) => {
      const found = bodies.length === 1 ? extract(bodies[0]) : bodies.flatMap(extract);
      return { found: found.length, records: make(found, slice, token, keeps) };
    },
  };
}

/** A record that may be changed: the answer that it is from is looked at again, to find the next page. */
function ownRecord(value: unknown, changes: boolean): MutableRecord {
  if (!isJsonObject(value)) return { value };
  return (changes ? copyOf(value) : value) as MutableRecord;
}
