import type { SyncDefinition } from '../../../engine/definition.ts';
import type { Schedule } from '../../../jobs/schedule.ts';

/** A synchronization as it is stored: what it does, and when. */
export interface StoredDefinition extends SyncDefinition {
  readonly schedule: Schedule;
  /** A run is expected to succeed at least so often: `1h`. Left out of definitions that were saved before there was such a thing. */
  readonly expect_every?: string | null;
}
