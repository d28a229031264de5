import type { Field, Filter, Stream, WriteMode } from '../../connectors/contract.ts';
import type { FieldError } from '../../lib/errors.ts';
import type { Deletes, StreamDefinition, SyncDefinition } from '../definition.ts';
import type { EndView, Facts } from './end-view.ts';
import type { OutputField } from '../mapping/mapping.ts';
import { missesNulls, READS_BY_CURSOR } from './cursors.ts';
import { planFields } from './fields.ts';
import { ownTableFault } from './names.ts';
import { rulesOf } from './rules.ts';
import { compareSchemas } from './schema-changes.ts';
import { isMirroredByLedger, WRITE_MODES } from './write-modes.ts';

/** What is asked of the source and of the target to keep one stream in sync. */
export interface StreamPlan {
  /** Its place in the definition. */
  readonly index: number;
  readonly definition: StreamDefinition;
  readonly read: {
    readonly stream: string;
    readonly fields: readonly string[];
    readonly key: readonly string[];
    readonly cursor?: string;
    readonly filters: readonly Filter[];
  };
  /** In the order of `read.fields`. */
  readonly sourceFields: readonly Field[];
  readonly outputs: readonly OutputField[];
  /** Where the source does not filter. */
  readonly engineFilters: readonly Filter[];
  /** A mirror into a target that cannot be read back: it goes by what the target has accepted. */
  readonly isDelivered: boolean;
  readonly write: {
    readonly stream: string;
    readonly fields: readonly Field[];
    /** Names at the target; empty where rows are only added. */
    readonly key: readonly string[];
    readonly mode: WriteMode;
    readonly create: boolean;
    readonly deletes: Deletes;
  };
}

export interface PlanInput {
  readonly index: number;
  readonly definition: StreamDefinition;
  readonly source: EndView;
  readonly target: EndView;
  readonly schemaChanges: SyncDefinition['schema_changes'];
  /** The fields of the source at the last run; null before the first. */
  readonly known: readonly Field[] | null;
  /** Nothing is written: it does not matter whether that would be allowed. */
  readonly onlyReads?: boolean;
}

export interface PlannedStream {
  /** Undefined when there are faults. */
  readonly plan: StreamPlan | undefined;
  /** Each with its place in the definition, such as `streams[2].cursor`. */
  readonly faults: FieldError[];
  /** What is worth knowing though it stops nothing, in words: what changed at the source since the last run, what is not found. */
  readonly notices: string[];
  /** Those of them that tell of fields that have changed, or what stops the run because of them. */
  readonly schemaChanges: readonly string[];
}

/** Says how a stream is read and written, or everything that stands against it. Used when a definition is saved and again at every run. */
export function planStream({ index, definition, source, target, schemaChanges, known, onlyReads = false }: PlanInput): PlannedStream {
  const faults: FieldError[] = [];
  const fault = (member: string, reason: string): void => {
    faults.push({ field: `streams[${index}].${member}`, reason });
  };
  const { stream } = source;
  const isOurs = { source: source.stream?.isOurs, target: target.stream?.isOurs };
  for (const end of ['source', 'target'] as const) if (isOurs[end]) fault(end, ownTableFault(definition[end]));
  if (!source.abilities.read) fault('source', `cannot be read: ${source.type} can only be written to`);
  else if (!stream) fault('source', 'does not exist at the source');
  else if (stream.unusable !== undefined) fault('source', `cannot be read: ${stream.unusable}`);
  if (!stream || faults.length > 0) return { plan: undefined, faults, notices: [], schemaChanges: [] };

  const changes = compareSchemas(stream.fields, known, schemaChanges, definition.fields === null);
  if (changes.fault !== undefined) fault('source', changes.fault);
  const noticed = changes.fault === undefined ? changes.notices : [`The stream ${changes.fault}.`];
  const facts: Facts = { definition, source: { ...source, stream }, target, onlyReads };
  const fields = planFields(facts, changes.fields, schemaChanges);
  for (const { member, reason } of [...rulesOf(facts), ...fields.faults]) fault(member, reason);
  if (faults.length > 0) return { plan: undefined, faults, notices: changes.notices, schemaChanges: noticed };

  const { key, cursor, mode, deletes } = definition;
  const pushed = source.abilities.filters ? definition.filter : [];
  const plan: StreamPlan = {
    index,
    definition,
    read: {
      stream: definition.source,
      fields: fields.read.map(({ name }) => name),
      key,
      ...(cursor !== null && READS_BY_CURSOR[mode] && { cursor }),
      filters: pushed,
    },
    sourceFields: fields.read,
    outputs: fields.outputs,
    engineFilters: source.abilities.filters ? [] : definition.filter,
    isDelivered: mode === 'mirror' && isMirroredByLedger(target),
    write: {
      stream: definition.target,
      fields: fields.written,
      // Rows that are only added are not looked for.
      key: mode === 'append' ? [] : fields.key,
      mode: WRITE_MODES[mode],
      // A user who wants no changes followed has said that the table is to stay as it is. With `stop`, what is saved is agreed to.
      create: target.abilities.createsStreams && (schemaChanges !== 'ignore' || target.stream === undefined),
      deletes,
    },
  };
  return { plan, faults, notices: [...changes.notices, ...cursorNotices(plan, stream)], schemaChanges: noticed };
}

/** A user who names such a cursor may know what they do. */
function cursorNotices({ read: { cursor } }: StreamPlan, stream: Stream): string[] {
  if (cursor === undefined || !missesNulls(stream, cursor)) return [];
  return [`The cursor "${cursor}" can be null at the source: rows in which it is null are not found.`];
}
