import type { SyncDefinition } from '../../../engine/definition.ts';
import type { Schedule } from '../../../jobs/schedule.ts';

/** A synchronization as it is stored: what it does, and when. */
export interface StoredDefinition extends SyncDefinition {
  readonly schedule: Schedule;
}
