import { AppError } from '../../lib/errors.ts';
import type { Reject } from '../../connectors/batch.ts';
import { demandKeepable } from '../../lib/json.ts';

export type Input = Readonly<Record<string, unknown>>;

/** Those that pass the shop's rules, and why the others do not. */
export function sort<T>(inputs: readonly Input[], check: (input: Input) => T): { good: { value: T; index: number }[]; rejects: Reject[] } {
  const good: { value: T; index: number }[] = [];
  const rejects: Reject[] = [];
  inputs.forEach((input, index) => {
    try {
      // What comes from other databases may have any character in it.
      demandKeepable(input);
      good.push({ value: check(input), index });
    } catch (error) {
      rejects.push(rejectOf(index, inputs, error));
    }
  });
  return { good, rejects };
}

export function rejectOf(index: number, inputs: readonly Input[], error: unknown): Reject {
  if (!(error instanceof AppError)) throw error;
  const { field } = error.details;
  return { index, row: inputs[index] ?? {}, reason: error.message, ...(field && { field }) };
}
