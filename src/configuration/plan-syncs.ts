import { isDeepStrictEqual } from 'node:util';
import { findManifest } from '../connectors/registry.ts';
import { definitionOf, type StoredDefinition } from '../datasync/runs/rows/stored-definition.ts';
import type { Answers, Question } from '../datasync/sources/probe.ts';
import type { SourceRow } from '../datasync/sources/queries.ts';
import { type AskableSources, checkedStreams, type Ends } from '../datasync/syncs/checked-streams.ts';
import type { SyncToCreate, SyncUpdate } from '../datasync/syncs/commands.ts';
import { definitionsOf, draftedDefinition } from '../datasync/syncs/drafts.ts';
import type { SyncRow } from '../datasync/syncs/queries.ts';
import { shownStreams } from '../datasync/syncs/render.ts';
import type { NewSync } from '../datasync/syncs/schemas.ts';
import { AppError, type FieldError, invalidParam, invalidParams } from '../lib/errors.ts';
import { isJsonObject } from '../lib/exact-json.ts';
import { newId } from '../lib/ids.ts';
import { isWild } from './defaults.ts';
import { differences } from './differences.ts';
import type { ConfigEntry } from './document.ts';
import { effectsOfSync } from './effects.ts';
import { syncEntry } from './entries.ts';
import { expandedStreams, type WantedStream } from './expanded-streams.ts';
import { attempt, demandMayTry, idOf, isToBe, type Planning, storedOf } from './planning.ts';

type StreamInput = NewSync['streams'][number];
type Wanted = StreamInput & WantedStream;

/** One after the other, those that others run after first: they find in the transaction what they follow. */
export async function planSyncs(planning: Planning): Promise<void> {
  for (const name of inChainOrder(planning.document.syncs ?? {})) {
    const entry = planning.document.syncs?.[name] ?? {};
    const expansion: Expansion = [];
    await attempt(
      planning,
      'syncs',
      name,
      () => planSync(planning, name, entry, expansion),
      (fault) => ofDocument(fault, expansion),
    );
  }
}

/** Of each stream that is planned: its name, and the place in the document that it comes from. */
type Expansion = { source: string; place: number; isWild: boolean }[];

/** A fault of a stream that stands for a * is one of the * in the document. */
function ofDocument({ field, reason }: FieldError, expansion: Expansion): FieldError {
  const [begin, at] = /^streams\[(\d+)\]/.exec(field) ?? [];
  const found = begin === undefined ? undefined : expansion[Number(at)];
  if (begin === undefined || !found) return { field, reason };
  return { field: field.replace(begin, `streams[${found.place}]`), reason: found.isWild ? `of "${found.source}" ${reason}` : reason };
}

function inChainOrder(syncs: Readonly<Record<string, ConfigEntry>>): string[] {
  const done = new Set<string>();
  for (const first of Object.keys(syncs)) {
    // No recursion: a chain may be as long as the document.
    const way: string[] = [];
    for (let name: string | undefined = first; name !== undefined && Object.hasOwn(syncs, name) && !done.has(name); ) {
      way.push(name);
      const schedule: unknown = syncs[name]?.['schedule'];
      name = isJsonObject(schedule) && typeof schedule['sync'] === 'string' ? schedule['sync'] : undefined;
    }
    for (const name of way.toReversed()) done.add(name);
  }
  return [...done];
}

async function planSync(planning: Planning, name: string, entry: ConfigEntry, expansion: Expansion): Promise<void> {
  const before = storedOf(planning, 'syncs', name);
  const { source, target, streams, schedule, status, ...rest } = entry;
  const [sourceId, targetId] = [idOf(planning, 'sources', source), idOf(planning, 'sources', target)];
  const ends = endsOf(planning, sourceId, targetId);
  // What is wrong with them is told there.
  if (!ends) return;
  const wanted = await wantedStreams(planning, ends.source, streams as Wanted[], before, expansion);
  const input = {
    ...(rest as Partial<NewSync>),
    streams: wanted,
    ...(schedule !== undefined && { schedule: withSyncId(planning, schedule as ConfigEntry) }),
  } as Omit<NewSync, 'name' | 'source_id' | 'target_id'>;
  const isSameEnds = before !== undefined && before.source_id === sourceId && before.target_id === targetId;
  const definition = await draftedDefinition(input, ends, async (schemaChanges) => {
    const kept = before && isSameEnds && definitionOf(before).schema_changes === schemaChanges ? keptStreams(before, wanted) : undefined;
    return kept ?? definitionsOf((await checkedStreams(askable(planning), ends, wanted, schemaChanges)).plans);
  });
  const planned = { name, sourceId, targetId, definition: JSON.stringify(definition) };
  const id = before ? planChange(planning, before, planned) : planNew(planning, planned, status);
  planStatus(planning, name, id, before?.status ?? 'active', status);
}

type PlannedSync = Pick<SyncToCreate, 'name' | 'sourceId' | 'targetId' | 'definition'>;

function planNew(planning: Planning, planned: PlannedSync, status: unknown): string {
  const { caller, clock, state, syncsPerKey } = planning;
  const { id, time } = newId('syn', clock());
  const { name } = planned;
  const brought = Object.hasOwn(state, name) ? state[name] : undefined;
  const input: SyncToCreate = {
    actor: caller.actor(),
    scopes: caller.scopes,
    now: time,
    most: syncsPerKey,
    ...planned,
    id: brought?.id ?? id,
  };
  isToBe(planning, 'syncs', name, input.id);
  planning.steps.push({ run: 'createSync', section: 'syncs', name, input });
  if (brought) planning.steps.push({ run: 'bringState', section: 'syncs', name, input: brought });
  const after = syncEntry(rowOf(planned, status === 'paused' ? 'paused' : 'active'), planning.nameOf);
  const loads = brought ? 'It goes on from the positions that are brought along.' : 'Its streams are loaded in full by the first run.';
  planning.changes.push({ section: 'syncs', name, action: 'create', fields: differences({}, after), effects: [loads] });
  return input.id;
}

function planChange(planning: Planning, before: SyncRow, planned: PlannedSync): string {
  const { caller, clock, nameOf } = planning;
  const after = rowOf(planned, before.status);
  const fields = differences(syncEntry(before, nameOf), syncEntry(after, nameOf));
  if (fields.length === 0) return before.id;
  const input: SyncUpdate = {
    actor: caller.actor(),
    scopes: caller.scopes,
    now: clock(),
    ...planned,
    id: before.id,
    version: before.version,
    fields: [...new Set(fields.map(({ field }) => field.split(/[.[]/, 1)[0] ?? ''))],
  };
  planning.steps.push({ run: 'updateSync', section: 'syncs', name: before.name, input });
  planning.changes.push({ section: 'syncs', name: before.name, action: 'update', fields, effects: effectsOfSync(before, after) });
  return before.id;
}

/** What is not said of it stays as it is. */
function planStatus(planning: Planning, name: string, id: string, is: string, wanted: unknown): void {
  if (wanted === undefined || wanted === is) return;
  const { caller, clock } = planning;
  const run = wanted === 'paused' ? 'pauseSync' : 'resumeSync';
  planning.steps.push({ run, section: 'syncs', name, input: { actor: caller.actor(), scopes: caller.scopes, now: clock(), id } });
  if (!storedOf(planning, 'syncs', name)) return;
  const fields = [{ field: 'status', before: is, after: wanted }];
  planning.changes.push({ section: 'syncs', name, action: 'update', fields, effects: [] });
}

function rowOf(
  { sourceId, targetId, definition }: PlannedSync,
  status: SyncRow['status'],
): Pick<SyncRow, 'source_id' | 'target_id' | 'definition' | 'status'> {
  return { source_id: sourceId, target_id: targetId, definition, status };
}

function endsOf({ sourceRows }: Planning, sourceId: string, targetId: string): Ends | undefined {
  const [source, target] = [sourceRows.get(sourceId)?.row, sourceRows.get(targetId)?.row];
  return source && target ? { source, target } : undefined;
}

function withSyncId(planning: Planning, schedule: ConfigEntry): unknown {
  if (schedule['type'] !== 'after') return schedule;
  const id = idOf(planning, 'syncs', schedule['sync']);
  if (id === '') throw invalidParam('schedule.sync', 'names a synchronization that cannot be planned itself: mend that one first');
  return { type: 'after', sync_id: id };
}

/** Sources as they are to be, also those that are not stored yet. */
function askable({ sources, caller, sourceRows }: Planning): AskableSources {
  return {
    ask: <Ask extends Question>(id: string, question: Ask) => {
      const known = sourceRows.get(id);
      if (!known) throw new Error(`A plan asks a source that is not part of it: ${id}.`);
      const fixed = known.isStored ? undefined : findManifest(known.row.type)?.streams;
      if (fixed && question.ask === 'streams') return Promise.resolve(fixed as Answers[Ask['ask']]);
      if (!known.isStored) demandMayTry(caller);
      return sources.askRow(caller, known.row, known.isStored, question);
    },
    plan: (streams) => sources.plan(caller, streams),
  };
}

/** The streams that are wanted by name, whatever has a *. A source that cannot be asked at this moment is taken to have what it had. */
async function wantedStreams(
  planning: Planning,
  source: SourceRow,
  wanted: readonly Wanted[],
  before: SyncRow | undefined,
  expansion: Expansion,
): Promise<StreamInput[]> {
  const isAsked = wanted.some((stream) => isWild(stream.source));
  const names = isAsked ? await namesAt(planning, source, before) : [];
  const { streams, places: found, faults } = expandedStreams(wanted, names);
  if (faults.length > 0) throw invalidParams(faults);
  for (const [at, place] of found.entries())
    expansion.push({ source: streams[at]?.source ?? '', place, isWild: isWild(wanted[place]?.source ?? '') });
  return streams;
}

async function namesAt(planning: Planning, source: SourceRow, before: SyncRow | undefined): Promise<string[]> {
  try {
    const streams = await askable(planning).ask(source.id, { ask: 'streams' });
    return streams.filter(({ unusable }) => unusable === undefined).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CONFLICT' || !before) throw error;
    planning.warnings.push(`"${before.name}": ${error.message} What its * stand for is taken to be what it was.`);
    return definitionOf(before).streams.map((stream) => stream.source);
  }
}

/** What streams are when nothing is said of these. */
const NOTHING_CHOSEN = { cursor: null, fields: null, filter: [] };

/** The stored streams, where the document says just the same, so that no system has to be asked: it may be down. */
function keptStreams(before: SyncRow, wanted: readonly StreamInput[]): StoredDefinition['streams'] | undefined {
  const { streams } = definitionOf(before);
  const shown = shownStreams(streams);
  const isSame =
    shown.length === wanted.length &&
    shown.every((stream, at) => isDeepStrictEqual(plain(stream), plain({ ...NOTHING_CHOSEN, ...wanted[at] })));
  return isSame ? streams : undefined;
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
