import type { Batch, Reject } from './batch.ts';
import { isCanonical, type Row } from './canonical.ts';
import type { Field, WriteRequest } from './contract.ts';

/**
 * The keys of rows that a mirror cannot use: those that came with the batch, and those that the target has refused of it. What
 * the target has of these rows stays as it is, since they are not gone. A key that is no value of its type has no row there.
 */
export function sparedKeys({ mode, fields, key }: WriteRequest, batch: Batch, rejects: readonly Reject[]): Row[] {
  if (batch.spared.length + rejects.length === 0 || mode !== 'mirror' || key.length === 0) return [];
  const types = key.map((name) => (fields.find((field) => field.name === name) as Field).type);
  const refused = batch.operation === 'delete' ? [] : rejects.map(({ row }) => key.map((name) => row[name] as string | null));
  return [...batch.spared, ...refused].filter((values) =>
    types.every((type, at) => typeof values[at] === 'string' && values[at].isWellFormed() && isCanonical(type, values[at])),
  );
}
