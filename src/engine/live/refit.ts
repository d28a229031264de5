import type { Applier } from '../../connectors/changes.ts';
import type { Field } from '../../connectors/contract.ts';
import type { Session } from '../../connectors/session.ts';
import { abilitiesOf, lookAgain, type OpenEnds, planFound } from '../ends.ts';
import { OutsideError } from '../../outside/errors.ts';
import { at, PlacedError } from '../failure.ts';
import type { RunOrder, RunPorts } from '../run.ts';
import type { Fit, LiveStream } from './live-stream.ts';

interface RefitOptions {
  readonly order: RunOrder;
  readonly ends: OpenEnds;
  readonly ports: RunPorts;
  readonly applier: Applier;
  /** The stream's place with the applier. */
  readonly place: number;
}

/** A field with its type, as a note keeps it. */
export function spelled({ name, type }: Pick<Field, 'name' | 'type'>): string {
  return `${name}:${type}`;
}

/**
 * Follows a change of a table in the middle of the log. False when the stream has to be loaded anew: a log does not tell what
 * became of the rows that were there when a column came with a default, changed its type or its name.
 */
export async function refit(stream: LiveStream, told: readonly Field[], options: RefitOptions): Promise<boolean> {
  const { order, ports, applier, place } = options;
  const { found } = stream.fit as Fit;
  const names = new Set(told.map(({ name }) => name));
  const isIgnored = ({ name }: Field): boolean => !names.has(name) && !(stream.fit as Fit).plan.read.fields.includes(name);
  const fields = [...told, ...found.fields.filter(isIgnored)];
  const known = new Set(stream.note.fields);
  const fresh = told.filter((field) => !known.has(spelled(field)));
  const ends = fresh.length > 0 ? await lookAgain(order, options.ends, stream.state) : options.ends;
  const planned = planFound(order, stream.state, { ...found, fields }, ends);
  if (!planned.plan) return false;
  const { plan } = planned;
  const wanted = fresh.filter(({ name }) => plan.read.fields.includes(name));
  if (await hasValues(options.ends.source, stream, suspicious(stream, told, wanted, ends), order)) return false;
  if (fresh.length > 0) {
    for (const message of planned.notices) ports.log('warn', { stream: stream.name, message });
    if (plan.write.fields.some(({ name }) => !stream.written.some((field) => field.name === name)))
      await at({ role: 'target', name: order.target.name }, () => applier.extend(place, plan.write.fields));
    await stream.refit({ plan, found: { ...found, fields } });
    stream.note = { ...stream.note, fields: [...stream.note.fields, ...wanted.map(spelled)] };
    if (order.definition.schema_changes === 'apply') await ports.keepFields(stream.state.index, fields);
  }
  stream.tell(told, plan);
  return true;
}

/** Those of new fields that rows may have had values in before the log told of them. */
function suspicious(stream: LiveStream, told: readonly Field[], fresh: readonly Field[], ends: OpenEnds): readonly Field[] {
  const names = new Set(told.map(({ name }) => name));
  const known = stream.note.fields.map((text) => text.slice(0, text.lastIndexOf(':')));
  // One that is gone may have another name now.
  if (known.some((name) => !names.has(name))) return fresh;
  const present = ends.sourceStreams.get((stream.fit as Fit).plan.read.stream)?.fields ?? [];
  return fresh.filter(({ name }) => known.includes(name) || present.find((field) => field.name === name)?.filled !== undefined);
}

/** Whether the source has values in fields that are new to us. Those of rows that change later come by the log. */
async function hasValues(source: Session, stream: LiveStream, fields: readonly Field[], order: RunOrder): Promise<boolean> {
  const { plan } = stream.fit as Fit;
  const key = plan.read.key;
  for (const { name } of fields) {
    // Where the source does not filter, one cannot tell without reading all of it.
    if (!abilitiesOf(order.source.type).filters) return true;
    const filters = [{ field: name, op: 'not_null' }] as const;
    const request = { stream: plan.read.stream, fields: [...new Set([...key, name])], key, filters, limit: 1 };
    try {
      for await (const batch of source.read(request)) if (batch.count > 0) return true;
    } catch (error) {
      // It is there no more: the table has changed again since.
      if (error instanceof OutsideError && error.kind === 'config') return true;
      throw new PlacedError({ role: 'source', name: order.source.name }, error);
    }
  }
  return false;
}
