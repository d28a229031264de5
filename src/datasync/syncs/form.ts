import { findManifest, typesThat } from '../../connectors/registry.ts';
import type { SyncDefinition, UndoRule } from '../../engine/definition.ts';
import { checkSchedule, intervalOf, type Schedule } from '../../jobs/schedule.ts';
import { type FieldError, invalidParams } from '../../lib/errors.ts';
import type { SourceRow } from '../sources/queries.ts';
import type { NewSync } from './schemas.ts';
import { bytesOfSize } from './sizes.ts';

// What can be said of a definition without asking a system.

const LEAST_RETAINED = 1_000_000;
/** Both ends are read as a whole: not all the time. */
const SHORTEST_VERIFY = 60_000;

/** When a synchronization runs of which nothing is said. */
export function defaultSchedule(source: Pick<SourceRow, 'type'>, live: boolean): Schedule {
  return { type: live || tellsChanges(source.type) ? 'on_change' : 'manual' };
}

/** Whether the source says when something has changed, so that a synchronization can follow at once. */
function tellsChanges(type: string): boolean {
  return findManifest(type)?.abilities.tellsChanges === true;
}

export function completeSchedule(schedule: NonNullable<NewSync['schedule']>): Schedule {
  return schedule.type === 'cron' ? { ...schedule, timezone: schedule.timezone ?? 'UTC' } : schedule;
}

/** The bytes that the source may keep, when something is said of it. */
export function retainedOf({ max_retained }: Pick<NewSync, 'max_retained'>): number | undefined {
  return max_retained === undefined ? undefined : bytesOfSize(max_retained);
}

const MOST_KEPT_ROWS = 1_000_000;

/** How long what runs replace is kept, when something is said of it. */
export function undoOf({ undo }: Pick<NewSync, 'undo'>): UndoRule | null | undefined {
  return undo ? { keep: undo.keep, max_rows: undo.max_rows ?? MOST_KEPT_ROWS } : undo;
}

/** Throws when what runs replace cannot be kept: by this target, or of these streams. */
export function demandUndo(undo: UndoRule | null, target: Pick<SourceRow, 'name' | 'type'>, streams: SyncDefinition['streams']): void {
  if (undo === null) return;
  if (findManifest(target.type)?.abilities.undo !== true) {
    const able = typesThat(({ abilities }) => abilities.undo === true).join(', ');
    const reason = `cannot be set: "${target.name}" (${target.type}) cannot keep what runs replace. Targets of these types can: ${able}`;
    throw invalidParams([{ field: 'undo', reason }]);
  }
  const faults = streams.flatMap(({ mode, key, source }, index): FieldError[] =>
    mode !== 'append' && key.length > 0
      ? []
      : [
          {
            field: 'undo',
            reason: `cannot be set: rows are found again by their key, and streams[${index}] ("${source}") ${mode === 'append' ? 'only adds rows' : 'has none'}`,
          },
        ],
  );
  if (faults.length > 0) throw invalidParams(faults);
}

/** Throws when the target cannot be given the structure of the source. */
export function demandStructure(
  structure: SyncDefinition['structure'],
  { source, target }: Readonly<Record<'source' | 'target', Pick<SourceRow, 'name' | 'type'>>>,
): void {
  if (structure !== 'full') return;
  const knows = ({ type }: Pick<SourceRow, 'type'>): boolean => findManifest(type)?.abilities.structure !== undefined;
  if (knows(source) && knows(target)) return;
  const able = typesThat(({ abilities }) => abilities.structure !== undefined).join(', ');
  const reason = `cannot be full from "${source.name}" (${source.type}) to "${target.name}" (${target.type}): both ends have to be one of these: ${able}. Leave it out, or choose data`;
  throw invalidParams([{ field: 'structure', reason }]);
}

type Form = Pick<NewSync, 'direction' | 'expect_every' | 'max_retained' | 'undo' | 'verify'>;

/** Throws what is wrong with a definition, whatever the systems have. `live`: its streams are. */
export function demandForm(form: Form, schedule: Schedule, source: NamedSource, live: boolean): void {
  const faults = formFaults(form, schedule, source, live);
  if (faults.length > 0) throw invalidParams(faults);
}

type NamedSource = Pick<SourceRow, 'name' | 'type'>;

/** What is wrong with a definition, whatever the systems have; of a source that nothing is known of yet, less. */
export function formFaults(form: Form, schedule: Schedule, source: NamedSource | undefined, live: boolean): FieldError[] {
  const { direction, expect_every, max_retained, undo, verify } = form;
  const faults: FieldError[] = [];
  if (direction === 'two_way')
    faults.push({ field: 'direction', reason: 'cannot be two_way yet: it is still to come. Make one synchronization for each direction' });
  faults.push(...scheduleFaults(schedule));
  if (typeof expect_every === 'string' && intervalOf(expect_every) === undefined)
    faults.push({ field: 'expect_every', reason: 'must be a number and a unit, such as 30m, 2h or 1d; at least 1s, at most 366d' });
  if (undo && intervalOf(undo.keep) === undefined)
    faults.push({ field: 'undo.keep', reason: 'must be a number and a unit, such as 12h or 7d; at least 1s, at most 366d' });
  if (verify && (intervalOf(verify.every) ?? 0) < SHORTEST_VERIFY)
    faults.push({ field: 'verify.every', reason: 'must be a number and a unit, such as 30m, 24h or 7d; at least 1m, at most 366d' });
  if (max_retained !== undefined && (retainedOf(form) ?? 0) < LEAST_RETAINED)
    faults.push({
      field: 'max_retained',
      reason: 'must be a number and a unit, such as 500 MB or 10 GB, or a number of bytes; at least 1 MB',
    });
  if (live && schedule.type !== 'on_change')
    faults.push({
      field: 'schedule.type',
      reason: `cannot be ${schedule.type}: streams of mode cdc are live and follow their source all the time. Leave the schedule out, or choose another mode`,
    });
  if (!live && source && schedule.type === 'on_change' && !tellsChanges(source.type))
    faults.push({
      field: 'schedule.type',
      reason: `cannot be on_change: "${source.name}" (${source.type}) does not tell when something changes. Use interval or cron`,
    });
  return faults;
}

/** What is wrong with a schedule, whatever it is for. */
export function scheduleFaults(schedule: Schedule): FieldError[] {
  const fault = checkSchedule(schedule);
  // Its first word is the member that is to blame.
  return fault === undefined ? [] : [{ field: `schedule.${fault.split(' ', 1)[0]}`, reason: fault.slice(fault.indexOf(' ') + 1) }];
}
