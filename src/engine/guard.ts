import { percentText } from '../lib/percent.ts';
import type { Changes } from '../connectors/contract.ts';
import type { Guard } from './definition.ts';
import type { RunError } from './run.ts';

interface Finding {
  readonly target: string;
  readonly changes: Changes;
  /** How many rows were read now, and at the last complete read. */
  readonly read: number;
  readonly rowsBefore: number | null;
}

/** Why a person has to agree before a mirror changes its target; undefined when nobody has to. */
export function objection(
  { max_delete_percent, allow_empty }: Guard,
  { target, changes, read, rowsBefore }: Finding,
): RunError | undefined {
  const there = changes.updated + changes.unchanged + changes.deleted;
  if (read === 0 && allow_empty) return undefined;
  if (read === 0 && (rowsBefore || there))
    return refusal(
      'SOURCE_EMPTY',
      rowsBefore
        ? `The source has no rows any more; the last time it had ${rowsBefore}. "${target}" was left as it is.`
        : `The source has no rows, but "${target}" has some. It was left as it is.`,
    );
  // Exactly as much as is allowed is allowed: a hair more, as a limit such as 4.35 is none that a double can hold.
  if (changes.deleted * 100 <= max_delete_percent * there * (1 + 1e-12)) return undefined;
  const percent = percentText(changes.deleted, there, max_delete_percent);
  return refusal(
    'TOO_MANY_DELETES',
    `The run would delete ${changes.deleted} of the ${there} rows of "${target}" (${percent} %); ${max_delete_percent} % are allowed. "${target}" was left as it is.`,
  );
}

function refusal(code: string, message: string): RunError {
  return { kind: 'data', code, message, hint: 'Approve the run if that is right, or cancel it and correct the source or the definition.' };
}
