import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/database.ts';
import type { SyncDefinition } from '../../engine/definition.ts';
import type { StreamPlan } from '../../engine/plan/plan.ts';
import type { SampleRow } from '../../engine/sample-rows.ts';
import type { Caller } from '../../http/caller.ts';
import type { Principal } from '../../http/scopes.ts';
import type { Schedule } from '../../jobs/schedule.ts';
import type { Clock } from '../../lib/clock.ts';
import { invalidParam, invalidParams, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { demandForSample, demandShopScopes } from '../access/demand.ts';
import { findSource } from '../sources/queries.ts';
import type { SourceService } from '../sources/service.ts';
import { type AskableSources, checkedStreams, type Ends } from './checked-streams.ts';
import { afterOf, demandChain } from './chains.ts';
import { createSync, updateSync } from './commands.ts';
import { definitionsOf, draftedDefinition } from './drafts.ts';
import { findSyncRow, type SyncRow } from './queries.ts';
import { shownStreams } from './render.ts';
import { definitionOf, isLive, type StoredDefinition } from '../runs/rows/stored-definition.ts';
import { demandForm, demandStructure, demandUndo, defaultSchedule, completeSchedule, retainedOf, undoOf } from './form.ts';
import { sharedTableWarnings } from './shared-tables.ts';
import { tablesOf } from './table-writers.ts';
import type { ChangedSync, NewSync, UnsavedSync } from './schemas.ts';

export interface SyncService {
  /** Holds a definition against both systems without saving it, and shows rows of one of its streams as a run would write them. */
  tryOut(caller: Principal, input: UnsavedSync): Promise<TriedSync>;
  create(caller: Caller, input: NewSync): Promise<SyncRow>;
  /** `restored` is the version that the change brings back, if it is made of one. */
  update(caller: Caller, id: string, change: ChangedSync, restored?: number): Promise<SyncRow>;
  /** What there is to say of one that was saved: other synchronizations write the same tables. */
  warningsOf(row: SyncRow): Promise<string[]>;
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
    tryOut: async (caller, { sample_of: place, limit = 10, sync_id: id = '', ...input }) => {
      const ends = await endsOf(input.source_id, input.target_id);
      const schedule = input.schedule ? completeSchedule(input.schedule) : defaultSchedule(ends.source, isLive(input));
      demandForm(input, schedule, ends.source, isLive(input));
      demandStructure(input.structure, ends);
      await demandChain(db.read, '', afterOf(schedule));
      if (place !== undefined && place >= input.streams.length)
        throw invalidParam('sample_of', `must be the place of a stream: there are ${input.streams.length}, counted from 0`);
      const { plans, warnings } = await checkedStreams(askedBy(caller), ends, input.streams, input.schema_changes ?? 'apply');
      demandUndo(undoOf(input) ?? null, ends.target, definitionsOf(plans));
      demandShopScopes(caller, 'move', typesOf(ends), definitionsOf(plans));
      const plan = place === undefined ? undefined : plans[place];
      if (plan) await demandForSample(db.read, caller, ends.source, plan.definition.source);
      const { name = '', target_id: targetId } = input;
      const own = { id, name, targetId, tables: definitionsOf(plans).map(({ target }) => target) };
      return {
        schedule,
        plans,
        warnings: [...warnings, ...(await sharedTableWarnings(db, own, ends.target.type))],
        plan,
        rows: plan ? await sources.ask(caller, input.source_id, { ask: 'mapped', plan, limit }) : [],
      };
    },
    create: async (caller, input) => {
      // Between asking the systems and writing, another request may have pointed a source elsewhere; then we look again.
      for (;;) {
        const ends = await endsOf(input.source_id, input.target_id);
        const definition = await draftedDefinition(input, ends, async (schemaChanges) =>
          definitionsOf((await checkedStreams(askedBy(caller), ends, input.streams, schemaChanges)).plans),
        );
        const { id, time } = newId('syn', clock());
        const { name, source_id: sourceId, target_id: targetId } = input;
        const text = JSON.stringify(definition);
        const by = { actor: caller.actor(), scopes: caller.scopes, now: time, most: mostPerKey };
        const row = await db.write(createSync, { ...by, id, name, sourceId, targetId, definition: text, versions: versionsOf(ends) });
        if (row) return row;
      }
    },
    update: async (caller, id, change, restored) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const row = await findSyncRow(db.read, id);
        if (!row) throw notFound('synchronization', id);
        const before = definitionOf(row);
        const [sourceId, targetId] = [change.source_id ?? row.source_id, change.target_id ?? row.target_id];
        const ends = await endsOf(sourceId, targetId);
        const live = isLive(change.streams ? { streams: change.streams } : before);
        // What is live has no schedule of its own: that it follows changes comes and goes with it.
        const usual = live === isLive(before) ? before.schedule : defaultSchedule(ends.source, live);
        const schedule = change.schedule ? completeSchedule(change.schedule) : usual;
        demandForm(change, schedule, ends.source, live);
        const structure = change.structure ?? before.structure ?? 'data';
        demandStructure(structure, ends);
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
          structure,
          on_gap: change.on_gap ?? before.on_gap,
          max_retained: retainedOf(change) ?? before.max_retained,
          expect_every: change.expect_every === undefined ? (before.expect_every ?? null) : change.expect_every,
          undo: change.undo === undefined ? (before.undo ?? null) : (undoOf(change) ?? null),
          verify: change.verify === undefined ? (before.verify ?? null) : change.verify,
        };
        demandUndo(definition.undo ?? null, ends.target, definition.streams);
        const name = change.name ?? row.name;
        const text = JSON.stringify(definition);
        const isAccepted = change.streams !== undefined || change.schema_changes !== undefined;
        if (
          !isOther &&
          !isAccepted &&
          name === row.name &&
          text ===
            JSON.stringify({
              ...before,
              structure: before.structure ?? 'data',
              expect_every: before.expect_every ?? null,
              undo: before.undo ?? null,
              verify: before.verify ?? null,
            })
        )
          return row;
        const by = { actor: caller.actor(), scopes: caller.scopes, now: clock() };
        const update = { id, version: row.version, name, sourceId, targetId, definition: text, fields: Object.keys(change), restored };
        const done = await db.write(updateSync, { ...by, ...update, ...(!kept && { versions: versionsOf(ends) }) });
        if (done) return done;
      }
    },
    warningsOf: async (row) => {
      const target = await findSource(db.read, row.target_id);
      const { id, name, target_id: targetId } = row;
      return target ? sharedTableWarnings(db, { id, name, targetId, tables: tablesOf(row) }, target.type) : [];
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
