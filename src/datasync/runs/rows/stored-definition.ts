import type { SyncDefinition } from '../../../engine/definition.ts';
import type { Schedule } from '../../../jobs/schedule.ts';

/** A synchronization as it is stored: what it does, and when. */
export interface StoredDefinition extends SyncDefinition {
  readonly schedule: Schedule;
  /** A run is expected to succeed at least so often: `1h`. Left out of definitions that were saved before there was such a thing. */
  readonly expect_every?: string | null;
  /** How often both ends are compared by themselves; null for never. Left out of earlier definitions. */
  readonly verify?: { readonly every: string } | null;
}

/** What a live synchronization does when nothing is said of it: 10 GB. */
export const LIVE_DEFAULTS: Pick<SyncDefinition, 'on_gap' | 'max_retained'> = { on_gap: 'load', max_retained: 10_000_000_000 };

/** The definition in a row of `syncs`. One that was saved before there were live synchronizations says nothing of them. */
export function definitionOf({ definition }: { readonly definition: string }): StoredDefinition {
  return { ...LIVE_DEFAULTS, ...(JSON.parse(definition) as StoredDefinition) };
}

/** Whether a synchronization follows the log of its source, and has one run at all times. */
export function isLive({ streams }: { readonly streams: readonly { readonly mode?: string | undefined }[] }): boolean {
  return streams.some(({ mode }) => mode === 'cdc');
}
