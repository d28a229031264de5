import { percentText } from '../../lib/percent.ts';
import type { Guard } from '../definition.ts';
import type { RunError, StreamChanges } from '../run.ts';
import type { LiveStream } from './live-stream.ts';

/** A step that removes fewer rows than this is never held: of a small table one row is many percent. */
const FEW = 10;

/** A person has to agree before the target is changed. */
export class ApprovalNeeded extends Error {
  readonly stream: LiveStream;
  readonly error: RunError;
  readonly changes: StreamChanges;

  constructor(stream: LiveStream, error: RunError, changes: StreamChanges) {
    super(error.message);
    this.stream = stream;
    this.error = error;
    this.changes = changes;
  }
}

/** What a step takes away from a stream. */
export interface Removal {
  deletes: number;
  isTruncated: boolean;
}

/** Why a person has to agree before a step is made; undefined when nobody has to. */
export function objection(stream: LiveStream, { deletes, isTruncated }: Removal, guard: Guard): ApprovalNeeded | undefined {
  const { rows } = stream.note;
  const { target } = stream.report;
  const gone = isTruncated ? Math.max(rows, deletes) : deletes;
  const changes = { inserted: 0, updated: 0, deleted: gone, unchanged: Math.max(0, rows - gone) };
  if (isTruncated && !guard.allow_empty && rows > 0)
    return refusal(
      stream,
      'TRUNCATED',
      `"${stream.name}" was emptied at the source by TRUNCATE. "${target}", which has about ${rows} rows, was left as it is.`,
      changes,
    );
  if (isTruncated || deletes < FEW) return undefined;
  // Exactly as much as is allowed is allowed: a hair more, as a limit such as 4.35 is none that a double can hold.
  const there = Math.max(rows, deletes);
  if (deletes * 100 <= guard.max_delete_percent * there * (1 + 1e-12)) return undefined;
  const percent = percentText(deletes, there, guard.max_delete_percent);
  return refusal(
    stream,
    'TOO_MANY_DELETES',
    `The next step of the source deletes ${deletes} of about ${there} rows of "${target}" (${percent} %); ${guard.max_delete_percent} % are allowed. "${target}" was left as it is.`,
    changes,
  );
}

function refusal(stream: LiveStream, code: string, message: string, changes: StreamChanges): ApprovalNeeded {
  const hint = 'Approve the run if that is right. If it is not, correct the source, then reset the stream, which loads it anew.';
  return new ApprovalNeeded(stream, { kind: 'data', code, message, hint }, changes);
}
