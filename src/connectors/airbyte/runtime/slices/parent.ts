import type { JsonObject } from '../../../../lib/exact-json.ts';

/** A stream whose records are what another one is asked for by. */
export interface ParentStream {
  readonly name: string;
  run(from: { state: JsonObject; after: unknown; signal: AbortSignal }): ParentRun;
}

export interface ParentRun {
  records(): AsyncGenerator<ParentRecord>;
  /** What counts when all records were taken. */
  state(): JsonObject;
}

export interface ParentRecord {
  readonly record: JsonObject;
  /** The partition that the parent itself was asked for by. */
  readonly partition: JsonObject;
  /** Where the parent goes on behind this record. To be asked for while it is the last that was taken. */
  readonly after: () => unknown;
}
