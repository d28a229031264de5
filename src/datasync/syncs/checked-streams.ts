import type { Stream } from '../../connectors/contract.ts';
import { foldName } from '../../connectors/naming.ts';
import { namingOf } from '../../connectors/registry.ts';
import type { StreamWish } from '../../engine/plan/defaults.ts';
import type { FieldMapping, SyncDefinition } from '../../engine/definition.ts';
import type { PlannedEnd, PlannedStreams, StreamsToPlan } from '../../engine/plan/streams.ts';
import { defaultTarget, type EndNaming, endNaming, fullName } from '../../engine/plan/stream-names.ts';
import { type FieldError, invalidParams } from '../../lib/errors.ts';
import type { SourceRow } from '../sources/queries.ts';
import type { Answers, Question } from '../sources/probe.ts';
import type { NewSync } from './schemas.ts';

type StreamInput = NewSync['streams'][number];
type FieldInput = NonNullable<StreamInput['fields']>[number];

/** Sources that can be asked on behalf of a caller. */
export interface AskableSources {
  ask<Ask extends Question>(id: string, question: Ask): Promise<Answers[Ask['ask']]>;
  plan(streams: StreamsToPlan): Promise<PlannedStreams>;
}

export interface Ends {
  readonly source: SourceRow;
  readonly target: SourceRow;
}

export type CheckedStreams = Omit<PlannedStreams, 'faults'>;

/** How the streams are read and written, by what both systems have at this moment; throws every fault with its place. */
export async function checkedStreams(
  sources: AskableSources,
  { source, target }: Ends,
  inputs: readonly StreamInput[],
  schemaChanges: SyncDefinition['schema_changes'],
): Promise<CheckedStreams> {
  const faultsOfForm = streamFormFaults(inputs);
  if (faultsOfForm.length > 0) throw invalidParams(faultsOfForm);
  const [from, to] = [namesAt(source), namesAt(target)];
  const wishes = inputs.map((input): StreamWish => {
    const name = fullName(input.source, from);
    const wanted = input.target === undefined ? defaultTarget(name, from, to) : fullName(input.target, to);
    return { ...input, source: name, target: wanted, fields: input.fields?.map(mappingOf) ?? null };
  });
  const [{ found: atSource }, { found: atTarget, only }] = await Promise.all([
    discovered(sources, source, unique(wishes.map((wish) => wish.source))),
    discovered(sources, target, unique(wishes.map((wish) => wish.target))),
  ]);

  const everyName = await namesIfMissing(sources, source, wishes, atSource);
  const asked = inputs.map((input) => ({ source: input.source, hasTarget: input.target !== undefined }));
  const found = { atSource, atTarget, only, everyName };
  // Expressions are compiled for it, in a thread: whatever they cost, no other caller waits for them.
  const { plans, faults, warnings } = await sources.plan({
    source: endOf(source),
    target: endOf(target),
    wishes,
    asked,
    ...found,
    schemaChanges,
  });
  const all = [...faults, ...mixedFaults(plans)];
  if (all.length > 0) throw invalidParams(all);
  return { plans, warnings };
}

/** A live synchronization is one run that never ends, over all its streams: none of another mode could take part in it. */
function mixedFaults(plans: CheckedStreams['plans']): FieldError[] {
  const live = plans.find(({ definition }) => definition.mode === 'cdc');
  if (!live) return [];
  return plans.flatMap(({ index, definition: { mode } }) =>
    mode === 'cdc'
      ? []
      : [
          {
            field: `streams[${index}].mode`,
            reason: `cannot be ${mode} beside cdc: streams[${live.index}] is live, and then all streams of a synchronization are. Make it cdc, or put it into a synchronization of its own`,
          },
        ],
  );
}

/** Faults that can be seen without asking a system. */
export function streamFormFaults(inputs: readonly Pick<StreamInput, 'fields'>[]): FieldError[] {
  return inputs.flatMap(({ fields }, index): FieldError[] =>
    (fields ?? []).flatMap((field, at) => {
      const reason = formFault(field);
      return reason === undefined
        ? []
        : [{ field: `streams[${index}].fields[${at}]${reason.startsWith('is mandatory') ? '.to' : ''}`, reason }];
    }),
  );
}

function formFault({ from, to }: FieldInput): string | undefined {
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
async function discovered(sources: AskableSources, row: SourceRow, names: readonly string[]): Promise<Discovered> {
  const fold = (name: string): string => foldName(name, namingOf(row.type));
  const wanted = new Set(names.map(fold));
  const streams = await sources.ask(row.id, { ask: 'streams', names });
  const named = streams.filter(({ name }) => wanted.has(fold(name)));
  const found = new Map([
    ...named.map((stream) => [fold(stream.name), stream] as const),
    ...named.map((stream) => [stream.name, stream] as const),
  ]);
  return { found, only: streams.find(({ isOnly }) => isOnly) };
}

/** Everything that is there, but only when something is missing: then we can say what may have been meant. */
async function namesIfMissing(
  sources: AskableSources,
  row: SourceRow,
  wishes: readonly StreamWish[],
  found: ReadonlyMap<string, Stream>,
): Promise<readonly string[]> {
  if (wishes.every(({ source }) => found.has(source))) return [];
  return (await sources.ask(row.id, { ask: 'streams' })).map(({ name }) => name);
}

/** What a plan has to know of an end; its secrets are not among it. */
function endOf({ id, name, type, config }: SourceRow): PlannedEnd {
  return { id, name, type, config };
}

function namesAt({ type, config }: SourceRow): EndNaming {
  return endNaming(namingOf(type), JSON.parse(config));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
