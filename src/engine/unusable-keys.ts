import { Batch, type Reject } from '../connectors/batch.ts';
import { isCanonical, type Row } from '../connectors/canonical.ts';
import type { Field } from '../connectors/contract.ts';
import type { Mapped, Mapping } from './mapping/mapping.ts';
import type { StreamPlan } from './plan/plan.ts';

/**
 * The keys, as the target has them, of the rows of a batch that could not be read or mapped: a mirror must not take these rows
 * for gone. A row that does not even tell its key is not among them.
 */
export function unusableKeys({ read, write, sourceFields }: StreamPlan, mapping: Mapping, batch: Batch, mapped: Mapped): readonly Row[] {
  const rejects = [...batch.rejects, ...mapped.rejects];
  if (rejects.length === 0 || write.mode !== 'mirror' || write.key.length === 0) return [];
  const fields = read.key.map((name) => sourceFields.find((field) => field.name === name) as Field);
  const keys = rejects.map((reject) => keyOf(reject, fields)).filter((key) => key !== undefined);
  return mapping.map(Batch.ofRows(keys, { position: batch.position, operation: 'delete' })).batch.rows;
}

function keyOf({ row }: Reject, fields: readonly Field[]): Row | undefined {
  const key = fields.map(({ name, type }) => {
    const value = row[name];
    // What a reader could not use it shows as it found it, numbers of JSON as numbers.
    const text = typeof value === 'number' ? String(value) : value;
    return typeof text === 'string' && isCanonical(type, text) ? text : undefined;
  });
  return key.every((value) => value !== undefined) ? key : undefined;
}
