import type { FieldNames, StreamStructure, StructuredStream, Structuring } from '../connectors/structure.ts';
import type { StreamDefinition } from './definition.ts';
import type { OpenEnds } from './ends.ts';
import { at } from './failure.ts';
import { ownerOf } from './owners.ts';
import type { RunOrder, RunPorts, StreamReport } from './run.ts';
import { sourceOf, type StreamWork, targetOf } from './stream-work.ts';

/** Whether tables that are made are to get all that those of the source have. */
function isStructured({ definition }: RunOrder): boolean {
  return definition.structure === 'full';
}

/** What a stream is to be given, should its table have to be made; undefined when that is not asked for. */
export async function structureFor(work: StreamWork): Promise<StructuredStream | undefined> {
  const { order, plan, source, target, signal } = work;
  if (!isStructured(order) || !source.structure || !target.structure) return undefined;
  const { structure: from } = source;
  const described = await at(sourceOf(work), () => from.describe([plan.read.stream], signal));
  return structuredOf(order, plan.definition, described);
}

/** Once a stream is loaded: gives its table, if it was made for it, keys, indexes and whatever else it is to have. */
export async function completeStructure(work: StreamWork): Promise<void> {
  const { target, report, ports, signal } = work;
  const { structure: to } = target;
  const stream = report.status === 'needs_approval' ? undefined : await structureFor(work);
  if (!stream || !to) return;
  tellWarnings(ports, report, await at(targetOf(work), () => to.complete(stream, signal)));
}

interface Connecting {
  readonly ports: RunPorts;
  readonly reports: readonly StreamReport[];
  readonly signal: AbortSignal;
}

/** Modes in which tables are written as a whole. */
const WRITES: ReadonlySet<RunOrder['mode']> = new Set(['run', 'full']);

/** At the end of a run: ties the tables to each other, those of an earlier attempt too, and moves their sequences forward. */
export async function connectStructure(
  order: RunOrder,
  { source, target }: Pick<OpenEnds, 'source' | 'target'>,
  connecting: Connecting,
): Promise<void> {
  if (!isStructured(order) || order.part || !WRITES.has(order.mode) || !source.structure || !target.structure) return;
  const { ports, reports, signal } = connecting;
  if (signal.aborted) return;
  const { streams } = order.definition;
  try {
    const told = await connectAll(order, source.structure, target.structure, signal);
    for (const { source: name, target: to } of streams) {
      const report = reports.find((one) => one.name === name && one.target === to);
      tellWarnings(ports, report ?? { name }, told.get(to) ?? []);
      const index = streams.findIndex((one) => one.target === to);
      if (report && (told.get(to) ?? []).length > 0) ports.progress(index, report);
    }
  } catch (error) {
    if (signal.aborted) return;
    // The rows are there. What is left is made by the next run.
    const message = `Foreign keys and sequences could not be completed; the next run goes on with them: ${error instanceof Error ? error.message : String(error)}`;
    ports.log('warn', { message });
    for (const report of reports) report.warnings = [...(report.warnings ?? []), message];
  }
}

async function connectAll(
  order: RunOrder,
  from: Structuring,
  to: Structuring,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { streams } = order.definition;
  const names = streams.map(({ source }) => source);
  const described = await at({ role: 'source', name: order.source.name }, () => from.describe([...new Set(names)], signal));
  const structured = streams.map((stream) => structuredOf(order, stream, described));
  return at({ role: 'target', name: order.target.name }, () => to.connect(structured, signal));
}

function structuredOf(order: RunOrder, stream: StreamDefinition, described: ReadonlyMap<string, StreamStructure>): StructuredStream {
  return {
    stream: stream.target,
    source: stream.source,
    owner: ownerOf(order.syncId, stream.target),
    fields: namesOf(stream),
    peers: order.definition.streams.map((peer) => ({ source: peer.source, stream: peer.target, fields: namesOf(peer) })),
    connects: stream.mode !== 'cdc',
    described: described.get(stream.source),
  };
}

function namesOf({ fields }: StreamDefinition): FieldNames {
  return (
    fields && new Map(fields.flatMap((field) => ('from' in field && field.type === undefined ? [[field.from, field.to] as const] : [])))
  );
}

function tellWarnings(ports: RunPorts, report: Pick<StreamReport, 'name' | 'warnings'>, warnings: readonly string[]): void {
  for (const message of warnings) ports.log('warn', { stream: report.name, message });
  if (warnings.length > 0) report.warnings = [...(report.warnings ?? []), ...warnings];
}
