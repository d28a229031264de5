import type { Guard, SyncDefinition } from '../../engine/definition.ts';
import type { StreamPlan } from '../../engine/plan/plan.ts';
import { isLive, LIVE_DEFAULTS, type StoredDefinition } from '../runs/rows/stored-definition.ts';
import type { Ends } from './checked-streams.ts';
import { completeSchedule, defaultSchedule, demandForm, demandStructure, demandUndo, retainedOf, undoOf } from './form.ts';
import type { NewSync } from './schemas.ts';

export const DEFAULT_GUARD: Guard = { max_delete_percent: 20, allow_empty: false };

type Wanted = Omit<NewSync, 'name' | 'source_id' | 'target_id'>;

/**
 * The definition of a new synchronization: what was said of it, and the defaults of all else. `streamsOf` answers its streams; what is wrong whatever
 * the systems have is thrown before they are asked.
 */
export async function draftedDefinition(
  input: Wanted,
  ends: Ends,
  streamsOf: (schemaChanges: SyncDefinition['schema_changes']) => Promise<SyncDefinition['streams']>,
): Promise<StoredDefinition> {
  const schedule = input.schedule ? completeSchedule(input.schedule) : defaultSchedule(ends.source, isLive(input));
  demandForm(input, schedule, ends.source, isLive(input));
  demandStructure(input.structure, ends);
  const schema_changes = input.schema_changes ?? 'apply';
  const definition: StoredDefinition = {
    direction: 'source_to_target',
    schedule,
    streams: await streamsOf(schema_changes),
    on_reject: input.on_reject ?? 'quarantine',
    guard: { ...DEFAULT_GUARD, ...input.guard },
    schema_changes,
    structure: input.structure ?? 'data',
    on_gap: input.on_gap ?? LIVE_DEFAULTS.on_gap,
    max_retained: retainedOf(input) ?? LIVE_DEFAULTS.max_retained,
    expect_every: input.expect_every ?? null,
    undo: undoOf(input) ?? null,
    verify: input.verify ?? null,
  };
  demandUndo(definition.undo ?? null, ends.target, definition.streams);
  return definition;
}

export function definitionsOf(plans: readonly StreamPlan[]): SyncDefinition['streams'] {
  return plans.map(({ definition }) => definition);
}
