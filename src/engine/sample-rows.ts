import type { Value } from '../connectors/canonical.ts';
import { BATCH_BYTES, type Field } from '../connectors/contract.ts';
import type { Session } from '../connectors/session.ts';
import { compileMapping, type Mapped } from './mapping/mapping.ts';
import type { StreamPlan } from './plan/plan.ts';
import { type ShownValue, shownValue } from '../connectors/shown-values.ts';

type ValuesByField = Readonly<Record<string, ShownValue>>;

/** A row as it is read, and what would be written of it. */
export interface SampleRow {
  readonly before: ValuesByField;
  /** Null when it would be rejected. */
  readonly after: ValuesByField | null;
  /** The field that is to blame. */
  readonly field: string | null;
  /** Why it would be rejected. */
  readonly reason: string | null;
}

// It is to be looked at: a value may have megabytes, and nobody reads those.
const MOST_CHARACTERS = 4096;
const MOST_IN_ALL = 1024 * 1024;
/** So many rows are looked at, at most, to find some that pass filters which the source does not apply itself. */
const MOST_LOOKED_AT = 1000;

/** Some rows of a stream with what a run would make of them. It reads the source alone; nothing is written anywhere. */
export async function sampleRows(source: Session, plan: StreamPlan, limit: number, signal: AbortSignal): Promise<SampleRow[]> {
  const { read, sourceFields, outputs, engineFilters } = plan;
  // What is gone is not shown, so the key does not matter.
  const mapping = compileMapping(sourceFields, outputs, { filters: engineFilters });
  const written = outputs.map(({ to: name, type }) => ({ name, type }));
  const rows: SampleRow[] = [];
  const most = engineFilters.length > 0 ? MOST_LOOKED_AT : limit;
  for await (const batch of source.read({ ...read, limit: most, batchBytes: BATCH_BYTES / 4, signal })) {
    for (const { row, field, reason } of batch.rejects) rows.push({ before: asText(row), after: null, field: field ?? null, reason });
    if (batch.operation === 'write') {
      const outcome = outcomesOf(mapping.map(batch));
      for (const [index, row] of batch.rows.entries()) {
        const found = outcome(index);
        if (!found) continue;
        const { after, field = null, reason = null } = found;
        rows.push({ before: byName(sourceFields, row), after: after ? byName(written, after) : null, field, reason });
      }
    }
    if (rows.length >= limit || JSON.stringify(rows).length > MOST_IN_ALL) break;
  }
  return rows.slice(0, limit);
}

/** What became of the row at a place of the batch that was read; undefined when it did not pass the filters. */
function outcomesOf({ batch, rejects, origin }: Mapped) {
  const places = new Map((origin ?? batch.rows.keys().toArray()).map((from, to) => [from, to]));
  const refused = new Map(rejects.map((reject) => [reject.index, reject]));
  return (index: number): { after: readonly Value[] | undefined; field?: string; reason?: string } | undefined => {
    const place = places.get(index);
    if (place !== undefined && !refused.has(index)) return { after: batch.rows[place] };
    const reject = refused.get(index);
    return reject && { after: undefined, reason: reject.reason, ...(reject.field !== undefined && { field: reject.field }) };
  };
}

function byName(fields: readonly Pick<Field, 'name' | 'type'>[], row: readonly Value[]): ValuesByField {
  return Object.fromEntries(fields.map(({ name, type }, at) => [name, shownValue(type, shortened(row[at] ?? null))]));
}

function asText(row: Readonly<Record<string, unknown>>): ValuesByField {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? null : shortened(typeof value === 'string' ? value : JSON.stringify(value)),
    ]),
  );
}

function shortened(value: Value): Value {
  return value !== null && value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
}
