import type { Manifest, Stream } from '../../connectors/contract.ts';
import { foldName } from '../../connectors/naming.ts';
import { findManifest } from '../../connectors/registry.ts';
import { closest } from '../../lib/closest.ts';
import type { FieldError } from '../../lib/errors.ts';
import { completeStream, type StreamWish } from './defaults.ts';
import type { SyncDefinition } from '../definition.ts';
import { type EndView, endView } from './end-view.ts';
import { planStream, type StreamPlan } from './plan.ts';
import { ownStreamFault } from './names.ts';

/** A source or target as far as a plan has to know it. */
export interface PlannedEnd {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** JSON, without secrets. */
  readonly config: string;
}

/** What is wanted of the streams between two systems, and what was found there. Plain data, as it goes from thread to thread. */
export interface StreamsToPlan {
  readonly source: PlannedEnd;
  readonly target: PlannedEnd;
  readonly wishes: readonly StreamWish[];
  /** In the same order: how each was asked for. */
  readonly asked: readonly { readonly source: string; readonly hasTarget: boolean }[];
  readonly atSource: ReadonlyMap<string, Stream>;
  readonly atTarget: ReadonlyMap<string, Stream>;
  /** The one stream that there can be at the target. */
  readonly only: Stream | undefined;
  /** Everything that there is at the source, when something is missing. */
  readonly everyName: readonly string[];
  readonly schemaChanges: SyncDefinition['schema_changes'];
}

export interface PlannedStreams {
  /** Of those that have no faults. */
  readonly plans: readonly StreamPlan[];
  /** Each with its place in the definition. */
  readonly faults: readonly FieldError[];
  /** What works, but perhaps not as it was meant; in words. */
  readonly warnings: readonly string[];
}

/** How the streams of a definition are read and written, or everything that stands against it. */
export function planStreams({
  source,
  target,
  wishes,
  asked,
  atSource,
  atTarget,
  only,
  everyName,
  schemaChanges,
}: StreamsToPlan): PlannedStreams {
  const faults: FieldError[] = [];
  const fault = (index: number, member: string, reason: string): void => {
    faults.push({ field: `streams[${index}].${member}`, reason });
  };
  const places = new Map<string, number>();
  const foldedTarget = (name: string): string => foldName(name, manifestOf(target).naming);
  const plans = wishes.map((wish, index): StreamPlan | undefined => {
    const sourceEnd = viewOf(source, atSource.get(wish.source));
    const alone = asked[index]?.hasTarget ? undefined : only;
    const targetEnd = viewOf(target, alone ?? atTarget.get(wish.target) ?? atTarget.get(foldedTarget(wish.target)));
    const spelled = { ...wish, target: targetEnd.stream?.name ?? wish.target };
    const definition = completeStream(spelled, sourceEnd, targetEnd);
    const earlier = places.get(foldedTarget(spelled.target));
    if (earlier !== undefined) fault(index, 'target', `is written from "${asked[earlier]?.source}" already: "${spelled.target}"`);
    places.set(foldedTarget(spelled.target), earlier ?? index);
    if (source.id === target.id && foldedTarget(spelled.target) === foldedTarget(wish.source))
      fault(index, 'target', 'is the stream that is read, at the same place. Choose another name');
    const place = targetEnd.stream ? undefined : placeFault(target, targetEnd, only);
    if (place !== undefined) fault(index, 'target', place);
    const own = ownStreamFault(wish.source, sourceEnd);
    if (own !== undefined) fault(index, 'source', own);
    else if (!sourceEnd.stream && sourceEnd.abilities.read) fault(index, 'source', unknownStream(wish.source, source, everyName));
    else {
      const planned = planStream({ index, definition, source: sourceEnd, target: targetEnd, schemaChanges, known: null });
      faults.push(...planned.faults);
      return planned.plan;
    }
    return undefined;
  });
  const planned = plans.filter((plan) => plan !== undefined);
  return { plans: planned, faults, warnings: planned.flatMap((plan) => appendWarning(plan, atSource) ?? []) };
}

/** A file has no rows that are new, only bytes: one that is written anew is another file, and all of it is added. */
function appendWarning({ definition: { source, mode } }: StreamPlan, atSource: ReadonlyMap<string, Stream>): string | undefined {
  if (mode !== 'append' || atSource.get(source)?.kind !== 'file') return undefined;
  return (
    `"${source}" is only added to the target. What is added to the file is added there; a file that is written anew is added once more as a whole, ` +
    'so that its rows are there twice. Name a key if the file does not only grow.'
  );
}

function unknownStream(name: string, { name: source }: PlannedEnd, names: readonly string[]): string {
  const meant = closest(name, names);
  if (meant !== undefined) return `is not there: "${source}" has no stream "${name}". Did you mean "${meant}"?`;
  return `is not there: "${source}" has no stream "${name}"${names.length === 0 ? ', nor any other that we may see' : ''}`;
}

/** Why nothing can be made at a place, whatever its name. */
function placeFault({ name, config }: PlannedEnd, { naming: { closed } }: EndView, only: Stream | undefined): string | undefined {
  if (only)
    return `cannot be made: "${name}" holds the stream "${only.name}"${only.writable ? '' : ', which can only be read,'} and has no room for others`;
  const place = closed && (JSON.parse(config) as Record<string, string | undefined>)[closed.member];
  return place !== undefined && closed?.values.includes(place.toLowerCase())
    ? `cannot be written to: the ${closed.member} "${place}" of "${name}" belongs to the server`
    : undefined;
}

function viewOf(end: PlannedEnd, stream: Stream | undefined): EndView {
  return endView(manifestOf(end), stream);
}

function manifestOf({ type }: PlannedEnd): Manifest {
  const manifest = findManifest(type);
  if (!manifest) throw new Error(`There is no connector "${type}".`);
  return manifest;
}
