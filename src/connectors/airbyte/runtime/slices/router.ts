import { isJsonObject, type JsonObject } from '../../../../lib/exact-json.ts';
import { evaluate, evaluateText, evaluateTexts, scopeOf } from '../evaluate.ts';
import { manifestFault, type Part, partOf, partsOf, typeOf, unknownPart } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { stepsOf, valueAt } from '../records/dpath.ts';
import { inject, noOptions, type Options } from '../request/options.ts';
import type { ParentStream } from './parent.ts';
import type { Slice } from './slice.ts';
import type { AirbyteSession } from '../session.ts';

/** One of the parts that a stream is asked for in. */
interface Partition {
  readonly partition: JsonObject;
  readonly extra: JsonObject;
  /** Where the partitions go on behind it, as it is kept in a position. To be asked for while this one is the last that was taken. */
  readonly after: () => unknown;
}

interface RouterRun {
  /** Goes on behind a partition. */
  readonly after?: unknown;
  /** What the parents had come to when the last run ended, by their names. */
  readonly parentState: JsonObject;
  readonly signal: AbortSignal;
}

/** Says in which partitions a stream is asked for. */
export interface Router {
  partitions(run: RouterRun): AsyncGenerator<Partition, JsonObject>;
  options(slice: Slice): Options;
}

export type MakeParent = (part: Part) => ParentStream;

export function routerOf(session: AirbyteSession, written: unknown, makeParent: MakeParent): Router | undefined {
  if (Array.isArray(written)) {
    const routers = written.filter(isJsonObject).map((part) => oneRouter(session, part, makeParent));
    return routers.length === 0 ? undefined : product(routers);
  }
  const part = partOf(written);
  return part && oneRouter(session, part, makeParent);
}

function oneRouter(session: AirbyteSession, part: Part, makeParent: MakeParent): Router {
  switch (typeOf(part)) {
    case 'ListPartitionRouter':
    case 'ListStreamSlicer':
      return listRouter(session, part);
    case 'SubstreamPartitionRouter':
    case 'SubstreamSlicer':
      return substreamRouter(session, part, makeParent);
    case 'GroupingPartitionRouter':
      return groupingRouter(part, oneRouter(session, partOf(part['underlying_partition_router']) ?? {}, makeParent));
    case 'UnionPartitionRouter':
      return unionRouter(
        session,
        part,
        partsOf(part['partition_routers']).map((inner) => oneRouter(session, inner, makeParent)),
      );
    case 'CartesianProductStreamSlicer':
      return product(partsOf(part['stream_slicers']).map((inner) => oneRouter(session, inner, makeParent)));
    case 'SingleSlice':
    case 'SinglePartitionRouter':
      return product([]);
    default:
      throw unknownPart(part, 'partition router');
  }
}

function listRouter(session: AirbyteSession, part: Part): Router {
  const scope = scopeOf(session.config, part);
  const name = evaluateText(part['cursor_field'], scope);
  const option = partOf(part['request_option']);
  const valuesOf = (): unknown[] => {
    const values = evaluate(part['values'], scope);
    if (typeof values === 'string') return Array.from(values);
    return Array.isArray(values) ? values : [];
  };
  return {
    partitions: async function* ({ after }) {
      const values = valuesOf();
      for (let index = typeof after === 'number' ? after : 0; index < values.length; index++) {
        // Entries of a list in the manifest may be templates as well, but are not taken for such by Airbyte.
        yield { partition: { [name]: values[index] }, extra: {}, after: () => index + 1 };
      }
      return {};
    },
    options: ({ partition }) => {
      const options = noOptions();
      if (option && isTruthy(partition[name])) inject(options, option, partition[name], scope);
      return options;
    },
  };
}

interface Parent {
  part: Part;
  key: string[];
  field: string;
  extras: string[][];
  option: Part | undefined;
  lazy: string[] | undefined;
}

function substreamRouter(session: AirbyteSession, part: Part, makeParent: MakeParent): Router {
  const parents: Parent[] = partsOf(part['parent_stream_configs']).map((parent) => {
    const scope = scopeOf(session.config, parent);
    const lazy = parent['lazy_read_pointer'];
    return {
      part: parent,
      key: stepsOf(evaluateText(parent['parent_key'], scope)),
      field: evaluateText(parent['partition_field'], scope),
      extras: (Array.isArray(parent['extra_fields']) ? parent['extra_fields'] : []).map((path) => evaluateTexts(stepsOf(path), scope)),
      option: partOf(parent['request_option']),
      lazy: Array.isArray(lazy) && lazy.length > 0 ? evaluateTexts(lazy, scope) : undefined,
    };
  });
  if (parents.length === 0) throw manifestFault('PARENT_MISSING', 'A partition router of the manifest names no parent stream.');
  return {
    partitions: async function* ({ after, parentState, signal }) {
      const from = placeIn(after);
      const states: Record<string, unknown> = { ...from.states };
      for (let index = from.index; index < parents.length; index++) {
        const parent = parents[index] as Parent;
        const stream = makeParent(partOf(parent.part['stream']) ?? {});
        const isFollowed = parent.part['incremental_dependency'] === true;
        const state = partOf(parentState[stream.name]);
        const run = stream.run({ state: isFollowed ? (state ?? {}) : {}, after: index === from.index ? from.parent : undefined, signal });
        for await (const { record, partition: above, after: behind } of run.records()) {
          const value = valueAt(record, parent.key);
          if (value === undefined || value === null) continue;
          const extra: Record<string, unknown> = {};
          for (const path of parent.extras) extra[path.join('.')] = valueAt(record, path) ?? null;
          if (parent.lazy) extra['child_response'] = valueAt(record, parent.lazy) ?? [];
          yield {
            partition: { [parent.field]: value, parent_slice: above },
            extra,
            after: () => ({ index, parent: behind(), states }),
          };
        }
        if (isFollowed) states[stream.name] = run.state();
      }
      return states;
    },
    options: ({ partition }) => {
      const options = noOptions();
      for (const { option, field, part: parent } of parents)
        if (option && isTruthy(partition[field])) inject(options, option, partition[field], scopeOf(session.config, parent));
      return options;
    },
  };
}

interface ParentPlace {
  index: number;
  parent: unknown;
  states: JsonObject;
}

function placeIn(after: unknown): ParentPlace {
  const place = partOf(after);
  const index = place?.['index'];
  return { index: typeof index === 'number' ? index : 0, parent: place?.['parent'], states: partOf(place?.['states']) ?? {} };
}

function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Routers that cannot be entered in the middle are begun anew, and what was taken is left out. */
async function* behind(
  partitions: AsyncGenerator<Omit<Partition, 'after'>, JsonObject>,
  after: unknown,
): AsyncGenerator<Partition, JsonObject> {
  const skip = typeof after === 'number' ? after : 0;
  for (let count = 1; ; count++) {
    const { value, done } = await partitions.next();
    if (done) return value;
    if (count > skip) yield { ...value, after: () => count };
  }
}

/** Every combination of the partitions of several routers. */
function product(routers: readonly Router[]): Router {
  const [only, ...others] = routers;
  return {
    // One alone can be entered where it was left, and its parents keep their window.
    partitions: ({ after, ...run }) =>
      only && others.length === 0 ? withoutStates(only.partitions({ after, ...run })) : behind(combinations(routers, run), after),
    options: (slice) => {
      const [first = noOptions(), ...more] = routers.map((router) => router.options(slice)).toReversed();
      for (const { params, headers, data, json } of more) {
        Object.assign(first.params, params);
        Object.assign(first.headers, headers);
        Object.assign(first.json, json);
        if (typeof first.data !== 'string' && typeof data !== 'string') Object.assign(first.data, data);
      }
      return first;
    },
  };
}

/** A list of routers keeps no state of its parents, even if it has only one. */
async function* withoutStates(partitions: AsyncGenerator<Partition, JsonObject>): AsyncGenerator<Partition, JsonObject> {
  yield* partitions;
  return {};
}

async function* combinations(routers: readonly Router[], run: RouterRun): AsyncGenerator<Omit<Partition, 'after'>, JsonObject> {
  const lists: Omit<Partition, 'after'>[][] = [];
  for (const router of routers) {
    const list: Omit<Partition, 'after'>[] = [];
    for await (const { partition, extra } of router.partitions(run)) list.push({ partition, extra });
    lists.push(list);
  }
  yield* combine(lists, 0, { partition: {}, extra: {} });
  return {};
}

function* combine(
  lists: readonly Omit<Partition, 'after'>[][],
  at: number,
  so: Omit<Partition, 'after'>,
): Generator<Omit<Partition, 'after'>> {
  const list = lists[at];
  if (!list) {
    yield so;
    return;
  }
  // Of a name that several have, the first counts.
  for (const { partition, extra } of list)
    yield* combine(lists, at + 1, { partition: { ...partition, ...so.partition }, extra: { ...extra, ...so.extra } });
}

function groupingRouter(part: Part, inner: Router): Router {
  const size = Math.max(1, Math.trunc(Number(part['group_size'])) || 1);
  return { partitions: ({ after, ...run }) => behind(groups(inner, run, size, part['deduplicate'] !== false), after), options: noOptions };
}

async function* groups(
  inner: Router,
  run: RouterRun,
  size: number,
  isUnique: boolean,
): AsyncGenerator<Omit<Partition, 'after'>, JsonObject> {
  const seen = new Set<string>();
  let group: Partition[] = [];
  const partitions = inner.partitions(run);
  for (;;) {
    const { value, done } = await partitions.next();
    if (done) {
      if (group.length > 0) yield grouped(group);
      return value;
    }
    const own = Object.keys(value.partition).find((name) => name !== 'parent_slice');
    const key = JSON.stringify(value.partition[own ?? '']);
    if (isUnique && seen.has(key)) continue;
    if (isUnique) seen.add(key);
    group.push(value);
    if (group.length < size) continue;
    yield grouped(group);
    group = [];
  }
}

function grouped(group: readonly Partition[]): Omit<Partition, 'after'> {
  const lists = (members: readonly JsonObject[]): JsonObject => {
    const names = new Set(members.flatMap((member) => Object.keys(member)));
    return Object.fromEntries([...names].map((name) => [name, members.map((member) => member[name] ?? null)]));
  };
  return { partition: lists(group.map(({ partition }) => partition)), extra: lists(group.map(({ extra }) => extra)) };
}

function unionRouter(session: AirbyteSession, part: Part, routers: readonly Router[]): Router {
  const field = evaluateText(part['partition_field'], scopeOf(session.config, part));
  return { partitions: ({ after, ...run }) => behind(united(routers, run, field), after), options: noOptions };
}

async function* united(routers: readonly Router[], run: RouterRun, field: string): AsyncGenerator<Omit<Partition, 'after'>, JsonObject> {
  const seen = new Set<string>();
  const states: Record<string, unknown> = {};
  for (const router of routers) {
    const partitions = router.partitions(run);
    for (;;) {
      const { value, done } = await partitions.next();
      if (done) {
        Object.assign(states, value);
        break;
      }
      const { [field]: own, ...others } = value.partition;
      if (own === undefined)
        throw manifestFault(
          'PARTITION_INVALID',
          `A router in a union of the manifest gives no "${field}", but ${Object.keys(value.partition).map(pythonText).join(', ')}.`,
        );
      if (seen.has(JSON.stringify(own))) continue;
      seen.add(JSON.stringify(own));
      yield { partition: { [field]: own }, extra: { ...value.extra, ...others } };
    }
  }
  return states;
}
