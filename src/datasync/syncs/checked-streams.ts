import type { Stream } from '../../connectors/contract.ts';
import { findManifest } from '../../connectors/registry.ts';
import { completeStream, type StreamWish } from '../../engine/defaults.ts';
import type { FieldMapping, Mode, SyncDefinition } from '../../engine/definition.ts';
import type { EndView } from '../../engine/end-view.ts';
import { planStream, type StreamPlan } from '../../engine/plan.ts';
import { ownStreamFault } from '../../engine/plan-names.ts';
import { defaultTarget, fullName, type Naming } from '../../engine/stream-names.ts';
import { closest } from '../../lib/closest.ts';
import { type FieldError, invalidParams } from '../../lib/errors.ts';
import type { SourceRow } from '../sources/queries.ts';
import type { SourceService } from '../sources/service.ts';
import type { NewSync } from './schemas.ts';

type StreamInput = NewSync['streams'][number];
type FieldInput = NonNullable<StreamInput['fields']>[number];

export interface Ends {
  readonly source: SourceRow;
  readonly target: SourceRow;
}

/** How the streams are read and written, by what both systems have at this moment; throws every fault with its place. */
export async function checkedStreams(
  sources: SourceService,
  { source, target }: Ends,
  inputs: readonly StreamInput[],
  schemaChanges: SyncDefinition['schema_changes'],
): Promise<StreamPlan[]> {
  demandForm(inputs);
  const [from, to] = [namingOf(source), namingOf(target)];
  const wishes = inputs.map((input): StreamWish => {
    const name = fullName(input.source, from);
    const wanted = input.target === undefined ? defaultTarget(name, from, to) : fullName(input.target, to);
    return { ...input, mode: input.mode as Mode | undefined, source: name, target: wanted, fields: input.fields?.map(mappingOf) ?? null };
  });
  const [{ found: atSource }, { found: atTarget, only }] = await Promise.all([
    discovered(sources, source, unique(wishes.map((wish) => wish.source))),
    discovered(sources, target, unique(wishes.map((wish) => wish.target))),
  ]);

  const faults: FieldError[] = [];
  const fault = (index: number, member: string, reason: string): void => {
    faults.push({ field: `streams[${index}].${member}`, reason });
  };
  const everyName = await namesIfMissing(sources, source, wishes, atSource);
  const places = new Map<string, number>();
  const plans = wishes.map((wish, index): StreamPlan | undefined => {
    const sourceEnd = viewOf(source, atSource.get(wish.source));
    const alone = inputs[index]?.target === undefined ? only : undefined;
    const targetEnd = viewOf(target, alone ?? atTarget.get(wish.target) ?? atTarget.get(fold(wish.target, target)));
    const spelled = { ...wish, target: targetEnd.stream?.name ?? wish.target };
    const definition = completeStream(spelled, sourceEnd, targetEnd);
    const earlier = places.get(fold(spelled.target, target));
    if (earlier !== undefined) fault(index, 'target', `is written from "${inputs[earlier]?.source}" already: "${spelled.target}"`);
    places.set(fold(spelled.target, target), earlier ?? index);
    if (source.id === target.id && fold(spelled.target, target) === fold(wish.source, source))
      fault(index, 'target', 'is the stream that is read, at the same place. Choose another name');
    const place = targetEnd.stream ? undefined : placeFault(target, only);
    if (place !== undefined) fault(index, 'target', place);
    const own = ownStreamFault(wish.source, source.type);
    if (own !== undefined) fault(index, 'source', own);
    else if (!sourceEnd.stream && sourceEnd.abilities.read) fault(index, 'source', unknownStream(wish.source, source, everyName));
    else {
      const planned = planStream({ index, definition, source: sourceEnd, target: targetEnd, schemaChanges, known: null });
      faults.push(...planned.faults);
      return planned.plan;
    }
    return undefined;
  });
  if (faults.length > 0) throw invalidParams(faults);
  return plans.filter((plan) => plan !== undefined);
}

/** Faults that can be seen without asking anybody. */
function demandForm(inputs: readonly StreamInput[]): void {
  const faults = inputs.flatMap(({ mode, fields }, index): FieldError[] => [
    ...(mode === 'cdc'
      ? [
          {
            field: `streams[${index}].mode`,
            reason: 'cannot be cdc yet: reading the log of a database is still to come. Leave it out, and a mode that fits is chosen',
          },
        ]
      : []),
    ...(fields ?? []).flatMap((field, at) => {
      const reason = formFault(field);
      return reason === undefined
        ? []
        : [{ field: `streams[${index}].fields[${at}]${reason.startsWith('is mandatory') ? '.to' : ''}`, reason }];
    }),
  ]);
  if (faults.length > 0) throw invalidParams(faults);
}

function formFault({ from, to, expression }: FieldInput): string | undefined {
  if (from !== undefined && expression !== undefined) return 'must have either from or expression, not both';
  if (from === undefined && expression === undefined) return 'must have either from or expression';
  return from === undefined && to === undefined ? 'is mandatory with an expression' : undefined;
}

function mappingOf({ from = '', to = from, expression, type }: FieldInput): FieldMapping {
  const cast = type === undefined ? {} : { type };
  return expression === undefined ? { from, to, ...cast } : { to, expression, ...cast };
}

interface Discovered {
  readonly found: ReadonlyMap<string, Stream>;
  /** The one stream that there can be. */
  readonly only: Stream | undefined;
}

/** Streams of these names, also found by what stands for the same name in that system. */
async function discovered(sources: SourceService, row: SourceRow, names: readonly string[]): Promise<Discovered> {
  const wanted = new Set(names.map((name) => fold(name, row)));
  const streams = await sources.ask(row.id, { ask: 'streams', names });
  const named = streams.filter(({ name }) => wanted.has(fold(name, row)));
  const found = new Map([
    ...named.map((stream) => [fold(stream.name, row), stream] as const),
    ...named.map((stream) => [stream.name, stream] as const),
  ]);
  return { found, only: streams.find(({ isOnly }) => isOnly) };
}

/** Everything that is there, but only when something is missing: then we can say what may have been meant. */
async function namesIfMissing(
  sources: SourceService,
  row: SourceRow,
  wishes: readonly StreamWish[],
  found: ReadonlyMap<string, Stream>,
): Promise<readonly string[]> {
  if (wishes.every(({ source }) => found.has(source))) return [];
  return (await sources.ask(row.id, { ask: 'streams' })).map(({ name }) => name);
}

function unknownStream(name: string, { name: source }: SourceRow, names: readonly string[]): string {
  const meant = closest(name, names);
  if (meant !== undefined) return `is not there: "${source}" has no stream "${name}". Did you mean "${meant}"?`;
  return `is not there: "${source}" has no stream "${name}"${names.length === 0 ? ', nor any other that we may see' : ''}`;
}

// These take upper and lower case in names for the same.
const FOLDS_NAMES: ReadonlySet<string> = new Set(['sqlite', 'mysql']);

function fold(name: string, { type }: SourceRow): string {
  return FOLDS_NAMES.has(type) ? name.toLowerCase() : name;
}

// Of MySQL: what is written there may end the server.
const SYSTEM_DATABASES: ReadonlySet<string> = new Set(['mysql', 'sys', 'information_schema', 'performance_schema']);

/** Why nothing can be made at a place, whatever its name. */
function placeFault({ type, name, config }: SourceRow, only: Stream | undefined): string | undefined {
  if (only)
    return `cannot be made: "${name}" holds the stream "${only.name}"${only.writable ? '' : ', which can only be read,'} and has no room for others`;
  const { database } = JSON.parse(config) as { database?: string };
  return type === 'mysql' && SYSTEM_DATABASES.has(database?.toLowerCase() ?? '')
    ? `cannot be written to: the database "${database}" of "${name}" belongs to the server`
    : undefined;
}

function viewOf({ type }: SourceRow, stream: Stream | undefined): EndView {
  const manifest = findManifest(type);
  if (!manifest) throw new Error(`There is no connector "${type}".`);
  return { type, abilities: manifest.abilities, stream };
}

function namingOf({ type, config }: SourceRow): Naming {
  const { schemas } = JSON.parse(config) as { schemas?: readonly string[] };
  return { type, schema: schemas?.[0] };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
