import { checkerOf } from '../../../lib/check.ts';
import { Type } from '../../../lib/schema.ts';
import type { Field, WriteMode } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';

/** What is known of an owner's work on a file, kept beside it. */
export interface StageState {
  readonly owner: string;
  readonly file: string;
  readonly mode: WriteMode;
  readonly fields: readonly Field[];
  /** The position of the last batch that was collected. */
  readonly position?: string | undefined;
  /** What was noted with it. */
  readonly note?: string | undefined;
  /** What is in the file itself: the position of its last batch, and what was noted when it took its place. */
  readonly published?: { readonly position?: string | undefined; readonly note?: string | undefined } | undefined;
  /** The collected rows, as lines: so much of each of these files counts. */
  readonly segments: readonly Segment[];
  readonly rows: number;
  readonly digits: readonly [string, readonly [number, number]][];
  /** The finished file that is about to take its place. When it is gone, it has. */
  readonly final?: string | undefined;
}

export interface Segment {
  readonly name: string;
  readonly bytes: number;
  /** Of how many files it is made, where a place cannot add to a file. */
  readonly pieces?: number | undefined;
  /** Its lines are keys of rows that could not be used, not rows. */
  readonly isSpared?: true | undefined;
}

const Place = { position: Type.Optional(Type.String()), note: Type.Optional(Type.String()) };
// A name alone: no way leads out of the folder by it.
const OwnName = Type.String({ pattern: '^[0-9a-z-]+\\.(tmp|lines)$' });
const Count = Type.Integer({ minimum: 0 });

const checker = checkerOf(
  Type.Object({
    ...Place,
    owner: Type.String(),
    file: Type.String(),
    mode: Type.String(),
    fields: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), nullable: Type.Boolean() })),
    published: Type.Optional(Type.Object(Place)),
    segments: Type.Array(Type.Object({ name: OwnName, bytes: Count, pieces: Type.Optional(Count) })),
    rows: Count,
    digits: Type.Array(Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 })),
    final: Type.Optional(OwnName),
  }),
);

/**
 * A state as it was kept. It lies in a folder where others may write, and the names in it are of files that are moved and read: what
 * we would not have written ourselves is not believed.
 */
export function readState(text: string): StageState {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (error) {
    throw damaged(error);
  }
  if (!checker.test(state))
    throw damaged(
      new Error(
        checker
          .explain(state)
          .map(({ field, reason }) => `${field} ${reason}`)
          .join(', '),
      ),
    );
  return state as StageState;
}

function damaged(cause: unknown): OutsideError {
  return new OutsideError('transient', 'STAGE_LOST', 'The checkpoint beside the target file is damaged.', { cause });
}
