import { isDeepStrictEqual } from 'node:util';
import { findManifest } from '../../connectors/registry.ts';
import type { Database } from '../../db/database.ts';
import type { Guard, SyncDefinition } from '../../engine/definition.ts';
import type { StreamPlan } from '../../engine/plan/plan.ts';
import type { SampleRow } from '../../engine/sample-rows.ts';
import type { Caller } from '../../http/caller.ts';
import type { Principal } from '../../http/scopes.ts';
import { checkSchedule, intervalOf, type Schedule } from '../../jobs/schedule.ts';
import type { Clock } from '../../lib/clock.ts';
import { type FieldError, invalidParam, invalidParams, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { demandForSample, demandShopScopes } from '../access/demand.ts';
import type { StoredDefinition } from '../runs/rows/stored-definition.ts';
import { findSource, type SourceRow } from '../sources/queries.ts';
import type { SourceService } from '../sources/service.ts';
import { type AskableSources, checkedStreams, type Ends } from './checked-streams.ts';
import { afterOf, demandChain } from './chains.ts';
import { createSync, updateSync } from './commands.ts';
import { findSyncRow, type SyncRow } from './queries.ts';
import { definitionOf, shownStreams } from './render.ts';
import type { ChangedSync, NewSync, UnsavedSync } from './schemas.ts';

export interface SyncService {
  /** Holds a definition against both systems without saving it, and shows rows of one of its streams as a run would write them. */
  tryOut(caller: Principal, input: UnsavedSync): Promise<TriedSync>;
  create(caller: Caller, input: NewSync): Promise<SyncRow>;
  update(caller: Caller, id: string, change: ChangedSync): Promise<SyncRow>;
}

interface TriedSync {
  schedule: Schedule;
  plans: readonly StreamPlan[];
  /** What works, but perhaps not as it was meant. */
  warnings: readonly string[];
  /** The stream whose rows were asked for. */
  plan: StreamPlan | undefined;
  rows: readonly SampleRow[];
}

interface Options {
  db: Database;
  clock: Clock;
  sources: SourceService;
  /** How many synchronizations one key may have. */
  mostPerKey: number;
}

const GUARD: Guard = { max_delete_percent: 20, allow_empty: false };

export function createSyncService({ db, clock, sources, mostPerKey }: Options): SyncService {
  const endsOf = async (sourceId: string, targetId: string): Promise<Ends> => {
    const [source, target] = await Promise.all([findSource(db.read, sourceId), findSource(db.read, targetId)]);
    const faults = Object.entries({ source_id: source, target_id: target })
      .filter(([, row]) => !row)
      .map(([field]) => ({ field, reason: 'is no source that there is; GET /datasync/sources lists them' }));
    if (!source || !target) throw invalidParams(faults);
    return { source, target };
  };

  const askedBy = (caller: Principal): AskableSources => ({
    ask: (id, question) => sources.ask(caller, id, question),
    plan: (streams) => sources.plan(caller, streams),
  });

  return {
    tryOut: async (caller, { sample_of: place, limit = 10, ...input }) => {
      const ends = await endsOf(input.source_id, input.target_id);
      const schedule = scheduleOf(input, ends);
      demandForm(input, schedule, ends.source);
      await demandChain(db.read, '', afterOf(schedule));
      if (place !== undefined && place >= input.streams.length)
        throw invalidParam('sample_of', `must be the place of a stream: there are ${input.streams.length}, counted from 0`);
      const { plans, warnings } = await checkedStreams(askedBy(caller), ends, input.streams, input.schema_changes ?? 'apply');
      demandShopScopes(caller, 'move', typesOf(ends), definitionsOf(plans));
      const plan = place === undefined ? undefined : plans[place];
      if (plan) await demandForSample(db.read, caller, ends.source, plan.definition.source);
      return {
        schedule,
        plans,
        warnings,
        plan,
        rows: plan ? await sources.ask(caller, input.source_id, { ask: 'mapped', plan, limit }) : [],
      };
    },
    create: async (caller, input) => {
      // Between asking the systems and writing, another request may have pointed a source elsewhere; then we look again.
      for (;;) {
        const ends = await endsOf(input.source_id, input.target_id);
        const schedule = scheduleOf(input, ends);
        demandForm(input, schedule, ends.source);
        const schema_changes = input.schema_changes ?? 'apply';
        const definition: StoredDefinition = {
          direction: 'source_to_target',
          schedule,
          streams: definitionsOf((await checkedStreams(askedBy(caller), ends, input.streams, schema_changes)).plans),
          on_reject: input.on_reject ?? 'quarantine',
          guard: { ...GUARD, ...input.guard },
          schema_changes,
          expect_every: input.expect_every ?? null,
        };
        const { id, time } = newId('syn', clock());
        const { name, source_id: sourceId, target_id: targetId } = input;
        const text = JSON.stringify(definition);
        const by = { actor: caller.actor(), scopes: caller.scopes, now: time, most: mostPerKey };
        const row = await db.write(createSync, { ...by, id, name, sourceId, targetId, definition: text, versions: versionsOf(ends) });
        if (row) return row;
      }
    },
    update: async (caller, id, change) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const row = await findSyncRow(db.read, id);
        if (!row) throw notFound('synchronization', id);
        const before = definitionOf(row);
        const [sourceId, targetId] = [change.source_id ?? row.source_id, change.target_id ?? row.target_id];
        const ends = await endsOf(sourceId, targetId);
        const schedule = change.schedule ? completeSchedule(change.schedule) : before.schedule;
        demandForm(change, schedule, ends.source);
        const schema_changes = change.schema_changes ?? before.schema_changes;
        const isOther = sourceId !== row.source_id || targetId !== row.target_id;
        // A new name or schedule does not depend on systems that may be down at this moment, nor does it to take away what is gone.
        const kept = isOther || schema_changes !== before.schema_changes ? undefined : keptStreams(before.streams, change.streams);
        const inputs = change.streams ?? (before.streams as NewSync['streams']);
        const definition: StoredDefinition = {
          ...before,
          schedule,
          streams: kept ?? definitionsOf((await checkedStreams(askedBy(caller), ends, inputs, schema_changes)).plans),
          on_reject: change.on_reject ?? before.on_reject,
          guard: { ...before.guard, ...change.guard },
          schema_changes,
          expect_every: change.expect_every === undefined ? (before.expect_every ?? null) : change.expect_every,
        };
        const name = change.name ?? row.name;
        const text = JSON.stringify(definition);
        const isAccepted = change.streams !== undefined || change.schema_changes !== undefined;
        if (
          !isOther &&
          !isAccepted &&
          name === row.name &&
          text === JSON.stringify({ ...before, expect_every: before.expect_every ?? null })
        )
          return row;
        const by = { actor: caller.actor(), scopes: caller.scopes, now: clock() };
        const update = { id, version: row.version, name, sourceId, targetId, definition: text, fields: Object.keys(change) };
        const done = await db.write(updateSync, { ...by, ...update, ...(!kept && { versions: versionsOf(ends) }) });
        if (done) return done;
      }
    },
  };
}

/** What it means when a stream that is kept says nothing of these. */
const NOTHING_CHOSEN = { cursor: null, fields: null, filter: [] };

/** What is left of the streams when nothing but streams is taken away, if anything is; undefined when something else was changed. */
function keptStreams(before: SyncDefinition['streams'], wanted: ChangedSync['streams']): SyncDefinition['streams'] | undefined {
  if (wanted === undefined) return before;
  const shown = shownStreams(before);
  const places = wanted.map((stream) => shown.findIndex((one) => isDeepStrictEqual(one, { ...NOTHING_CHOSEN, ...stream })));
  const isFewer = places.length < before.length && new Set(places).size === places.length && !places.includes(-1);
  return isFewer ? places.flatMap((place) => before[place] ?? []) : undefined;
}

function typesOf({ source, target }: Ends): { source: string; target: string } {
  return { source: source.type, target: target.type };
}

function versionsOf({ source, target }: Ends): { source: number; target: number } {
  return { source: source.version, target: target.version };
}

function definitionsOf(plans: readonly StreamPlan[]): SyncDefinition['streams'] {
  return plans.map(({ definition }) => definition);
}

function scheduleOf({ schedule }: Pick<NewSync, 'schedule'>, { source }: Ends): Schedule {
  return completeSchedule(schedule ?? { type: tellsChanges(source.type) ? 'on_change' : 'manual' });
}

/** Whether the source says when something has changed, so that a synchronization can follow at once. */
function tellsChanges(type: string): boolean {
  return findManifest(type)?.abilities.tellsChanges === true;
}

export function completeSchedule(schedule: NonNullable<NewSync['schedule']>): Schedule {
  return schedule.type === 'cron' ? { ...schedule, timezone: schedule.timezone ?? 'UTC' } : schedule;
}

/** Faults that can be seen without asking a system. */
function demandForm({ direction, expect_every }: Pick<NewSync, 'direction' | 'expect_every'>, schedule: Schedule, source: SourceRow): void {
  const faults: FieldError[] = [];
  if (direction === 'two_way')
    faults.push({ field: 'direction', reason: 'cannot be two_way yet: it is still to come. Make one synchronization for each direction' });
  faults.push(...scheduleFaults(schedule));
  if (typeof expect_every === 'string' && intervalOf(expect_every) === undefined)
    faults.push({ field: 'expect_every', reason: 'must be a number and a unit, such as 30m, 2h or 1d; at least 1s, at most 366d' });
  if (schedule.type === 'on_change' && !tellsChanges(source.type))
    faults.push({
      field: 'schedule.type',
      reason: `cannot be on_change: "${source.name}" (${source.type}) does not tell when something changes. Use interval or cron`,
    });
  if (faults.length > 0) throw invalidParams(faults);
}

/** What is wrong with a schedule, whatever it is for. */
export function scheduleFaults(schedule: Schedule): FieldError[] {
  const fault = checkSchedule(schedule);
  // Its first word is the member that is to blame.
  return fault === undefined ? [] : [{ field: `schedule.${fault.split(' ', 1)[0]}`, reason: fault.slice(fault.indexOf(' ') + 1) }];
}
