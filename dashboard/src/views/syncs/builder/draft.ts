import type { Input } from '../../../api/client.ts';
import type { Source, Sync } from '../../../api/resources.ts';
import { plural } from '../../../parts/words/format.ts';
import { visible } from '../../../parts/words/visible.ts';
import type { Schedule } from '../schedule-words.ts';
import { isLive } from '../live-words.ts';

export type NewSync = Input<'POST /api/v1/datasync/sync'>['body'];
type StreamInput = NewSync['streams'][number];
type FieldInput = NonNullable<StreamInput['fields']>[number];
export type FieldType = NonNullable<FieldInput['type']>;
export type Operator = NonNullable<StreamInput['filter']>[number]['op'];

/** A field of the target as it is being written: from a field of the source, or by an expression. */
export interface FieldDraft {
  from?: string;
  expression?: string;
  to: string;
  /** None: as it is at the source. */
  type?: FieldType | undefined;
}

export interface FilterDraft {
  field: string;
  op: Operator;
  /** As they are typed; of `in` any number, else one. */
  values: readonly string[];
}

/** A stream as it is being written. What is undefined is chosen by the service. */
export interface StreamDraft {
  source: string;
  target?: string | undefined;
  mode?: StreamInput['mode'] | undefined;
  key?: readonly string[] | undefined;
  cursor?: string | undefined;
  deletes?: StreamInput['deletes'];
  /** Null: all fields, under their own names. */
  fields: readonly FieldDraft[] | null;
  filter: readonly FilterDraft[];
}

/** A synchronization as it is being written. */
export interface SyncDraft {
  name: string;
  sourceId: string;
  targetId: string;
  streams: readonly StreamDraft[];
  /** It follows the log of its source: all streams do, and there is no schedule. */
  live: boolean;
  /** Undefined until the user chooses: the service takes what fits the source. */
  schedule: Schedule | undefined;
  onReject: Sync['on_reject'];
  schemaChanges: Sync['schema_changes'];
  guard: Sync['guard'];
  onGap: NonNullable<Sync['on_gap']>;
  /** A number and its unit: `10 GB`. */
  maxRetained: string;
  /** Null: nothing is expected. */
  expectEvery: string | null;
  /** A number and its unit: `7d`. Empty: nothing is kept. */
  undoKeep: string;
  /** As it was said elsewhere: the page does not ask for it. */
  undoRows?: number | undefined;
  /** A number and its unit: `24h`. Empty: both ends are compared only when it is asked for. */
  verifyEvery: string;
}

export const EMPTY: SyncDraft = {
  name: '',
  sourceId: '',
  targetId: '',
  streams: [],
  live: false,
  schedule: undefined,
  onReject: 'quarantine',
  schemaChanges: 'apply',
  guard: { max_delete_percent: 20, allow_empty: false },
  onGap: 'load',
  maxRetained: '10 GB',
  expectEvery: null,
  undoKeep: '',
  verifyEvery: '',
};

/** What the editor of a stream has to know of the source: its fields, and which of them tell changes. */
export interface KnownFields {
  readonly fields: readonly { readonly name: string; readonly type?: string }[];
  readonly cursors: readonly string[];
}

/** The fields that a stream names itself: all that is known while its source cannot be asked. */
export function fieldsNamedIn({ key = [], cursor, fields, filter }: StreamDraft): KnownFields {
  const names = [...(fields ?? []).map(({ from }) => from), ...key, cursor, ...filter.map(({ field }) => field)];
  return { fields: [...new Set(names)].flatMap((name) => (name === undefined ? [] : [{ name }])), cursors: [] };
}

/** Fields to choose from, with those that are chosen already though the source does not have them any more. */
export function fieldChoices({ fields }: KnownFields, chosen: readonly string[]): { value: string; label: string }[] {
  const gone = chosen.filter((name) => name !== '' && !fields.some((field) => field.name === name));
  return [
    ...fields.map(({ name }) => ({ value: name, label: name })),
    ...gone.map((name) => ({ value: name, label: `${name} (not found)` })),
  ];
}

export function newStream(source: string): StreamDraft {
  return { source, fields: null, filter: [] };
}

export function draftOf(sync: Sync): SyncDraft {
  const live = isLive(sync);
  return {
    name: sync.name,
    sourceId: sync.source_id,
    targetId: sync.target_id,
    streams: sync.streams.map((stream) => ({
      ...stream,
      // That of all streams is said once. When it is live no more, the service chooses.
      mode: live ? undefined : stream.mode,
      cursor: stream.cursor ?? undefined,
      filter: stream.filter.map(({ field, op, value = '' }) => ({ field, op, values: Array.isArray(value) ? value : [value] })),
    })),
    live,
    schedule: live ? undefined : sync.schedule,
    onReject: sync.on_reject,
    schemaChanges: sync.schema_changes,
    guard: sync.guard,
    onGap: sync.on_gap ?? 'load',
    maxRetained: sync.max_retained,
    expectEvery: sync.expect_every,
    undoKeep: sync.undo?.keep ?? '',
    verifyEvery: sync.verify?.every ?? '',
    undoRows: sync.undo?.max_rows,
  };
}

/** The same under another name, to be changed and saved beside it. */
export function copyOf(sync: Sync, all: readonly { readonly name: string }[]): SyncDraft {
  const taken = new Set(all.map(({ name }) => name));
  const names = Array.from({ length: taken.size + 1 }, (_, place) => ` (copy${place === 0 ? '' : ` ${place + 1}`})`);
  const ending = names.find((words) => !taken.has(sync.name.slice(0, 100 - words.length) + words)) ?? '';
  return { ...draftOf(sync), name: sync.name.slice(0, 100 - ending.length) + ending };
}

/** A stream as the service takes it. */
export function streamInput(stream: StreamDraft, live: boolean): StreamInput {
  const { source, target, key, deletes, fields, filter } = stream;
  // A log needs no cursor.
  const { mode, cursor } = live ? { mode: 'cdc' as const, cursor: undefined } : stream;
  return {
    source,
    ...(target !== undefined && { target }),
    ...(mode !== undefined && { mode }),
    ...(key !== undefined && { key: [...key] }),
    ...(cursor !== undefined && { cursor }),
    ...(deletes !== undefined && { deletes }),
    fields: fields?.map(fieldInput) ?? null,
    filter: filter.map(({ field, op, values }) => {
      if (op === 'is_null' || op === 'not_null') return { field, op };
      return { field, op, value: op === 'in' ? [...values] : (values[0] ?? '') };
    }),
  };
}

function fieldInput({ from, expression, to, type }: FieldDraft): FieldInput {
  const cast = type === undefined ? {} : { type };
  return expression === undefined ? { ...(from !== undefined && { from }), to, ...cast } : { expression, to, ...cast };
}

/** The whole as the service takes it. Who gives no name gets one that says what it does. */
export function syncInput(draft: SyncDraft, source: Source | undefined, target: Source | undefined): NewSync {
  return {
    name: draft.name.trim() === '' ? suggestedName(source, target) : draft.name.trim(),
    source_id: draft.sourceId,
    target_id: draft.targetId,
    streams: draft.streams.map((stream) => streamInput(stream, draft.live)),
    ...scheduleInput(draft),
    on_reject: draft.onReject,
    guard: draft.guard,
    schema_changes: draft.schemaChanges,
    ...(draft.live && { on_gap: draft.onGap, max_retained: draft.maxRetained.trim() }),
    // What was kept of an earlier version does not know of it.
    expect_every: draft.expectEvery ?? null,
    undo: undoInput(draft),
    // A draft that was kept by an older page has none.
    verify: (draft.verifyEvery ?? '').trim() === '' ? null : { every: draft.verifyEvery.trim() },
  };
}

function undoInput({ undoKeep = '', undoRows }: Partial<SyncDraft>): NonNullable<NewSync['undo']> | null {
  const keep = undoKeep.trim();
  return keep === '' ? null : { keep, ...(undoRows !== undefined && { max_rows: undoRows }) };
}

function scheduleInput({ live, schedule }: SyncDraft): Pick<NewSync, 'schedule'> {
  if (live) return { schedule: { type: 'on_change' } };
  return schedule ? { schedule } : {};
}

export function suggestedName(source: Source | undefined, target: Source | undefined): string {
  return source && target ? `${source.name} to ${target.name}`.slice(0, 100) : '';
}

/** `Orders: Shop to Warehouse, 12 streams`: which draft it is. */
export function draftWords({ name, sourceId, targetId, streams }: SyncDraft, sources: readonly Source[] | undefined): string {
  const nameOf = (id: string): string => visible(sources?.find((source) => source.id === id)?.name ?? '…');
  return `${visible(name.trim() || 'Without a name')}: ${nameOf(sourceId)} to ${nameOf(targetId)}, ${plural(streams.length, 'stream')} chosen.`;
}
