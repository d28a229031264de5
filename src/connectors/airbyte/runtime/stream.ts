import type { JsonObject } from '../../../lib/exact-json.ts';
import { asyncRetriever } from './async-retrieve.ts';
import { countCursor } from './cursor/count.ts';
import type { SliceCursor, Window } from './cursor/cursor.ts';
import { datetimeCursor } from './cursor/datetime.ts';
import { evaluateText, scopeOf } from './evaluate.ts';
import type { OpenStream } from './open-stream.ts';
import { manifestFault, type Part, partOf, partsOf, textAt, typeOf, unknownPart } from './parts.ts';
import { transformOf } from './records/transform.ts';
import { inject, noOptions, type Options } from './request/options.ts';
import { simpleRetriever } from './retrieve.ts';
import type { Retriever } from './retriever.ts';
import { StreamRun } from './run.ts';
import { loadSchema } from './schema/load.ts';
import type { AirbyteSession } from './session.ts';
import type { ParentStream } from './slices/parent.ts';
import { routerOf } from './slices/router.ts';
import type { Slice } from './slices/slice.ts';
import { parseDuration } from './time/moment.ts';

export function openStream(session: AirbyteSession, part: Part, isParent = false): OpenStream {
  const written = partOf(part['retriever']);
  const sync = partOf(part['incremental_sync']);
  const name = textAt(part, 'name') ?? '';
  const router = routerOf(session, written?.['partition_router'] ?? written?.['stream_slicer'], (parent) => parentStream(session, parent));
  const isFeed = sync?.['is_data_feed'] === true;
  const isFiltered = sync?.['is_client_side_incremental'] === true;
  const normalizes = partOf(written?.['record_selector'])?.['schema_normalization'] === 'Default';
  let schema: Part | undefined;
  const options = {
    transforms: partsOf(part['transformations']).map((transformation) => transformOf(session, transformation)),
    transformsFirst: isFiltered,
    schema: () => schema,
    isParent,
  };
  return {
    session,
    name,
    router,
    retriever: retrieverOf(session, written, options),
    cursor: (window) => cursorOf(session, sync, router !== undefined, window),
    cursorOptions: (slice) => cursorOptions(session, sync, slice),
    isFeed,
    isFiltered,
    usesGlobalState:
      sync?.['global_substream_cursor'] === true || typeOf(partOf(written?.['partition_router'])) === 'GroupingPartitionRouter',
    prepare: async (signal) => {
      if (normalizes)
        schema ??= await loadSchema(
          session,
          part,
          (inner) => retrieverOf(session, inner, { ...options, transforms: [], transformsFirst: false }),
          signal,
        );
    },
  };
}

export function retrieverOf(session: AirbyteSession, part: Part | undefined, options: Parameters<typeof simpleRetriever>[2]): Retriever {
  switch (typeOf(part)) {
    case '':
    case 'SimpleRetriever':
      return simpleRetriever(session, part ?? {}, options);
    case 'AsyncRetriever':
      return asyncRetriever(session, part ?? {}, options);
    default:
      throw unknownPart(part, 'retriever');
  }
}

function cursorOf(
  session: AirbyteSession,
  part: Part | undefined,
  isPartitioned: boolean,
  window: Window | undefined,
): SliceCursor | undefined {
  switch (typeOf(part)) {
    case '':
      return undefined;
    case 'DatetimeBasedCursor':
    case 'DatetimeStreamSlicer':
      return datetimeCursor(session, part as Part, window);
    case 'IncrementingCountCursor':
      if (isPartitioned)
        throw manifestFault(
          'CURSOR_INVALID',
          'A stream of the manifest has partitions and counts records by a number, which do not go together.',
        );
      return countCursor(session, part as Part);
    default:
      throw unknownPart(part, 'cursor');
  }
}

function cursorOptions(session: AirbyteSession, part: Part | undefined, { cursor }: Slice): Options {
  const options = noOptions();
  if (!part) return options;
  const scope = scopeOf(session.config, part);
  const isCount = typeOf(part) === 'IncrementingCountCursor';
  const names = isCount ? ['start_value_option', ''] : ['start_time_option', 'end_time_option'];
  const fields = isCount
    ? ['start', '']
    : [textAt(part, 'partition_field_start') ?? 'start_time', textAt(part, 'partition_field_end') ?? 'end_time'];
  for (const [index, name] of names.entries()) {
    const option = partOf(part[name]);
    if (option) inject(options, option, cursor[evaluateText(fields[index], scope)] ?? null, scope);
  }
  return options;
}

/** A stream that is read by its records' keys. */
function parentStream(session: AirbyteSession, part: Part): ParentStream {
  return {
    name: textAt(part, 'name') ?? '',
    run: (from) => new StreamRun(openStream(session, variantOf(session, part, from.state), true), from),
  };
}

/** Of a stream that has two ways to be read: in full at first, then by what is new. */
export function variantOf(session: AirbyteSession, part: Part, state: JsonObject): Part {
  if (typeOf(part) !== 'StateDelegatingStream') return part;
  const [full, incremental] = [partOf(part['full_refresh_stream']) ?? {}, partOf(part['incremental_stream']) ?? {}];
  if (Object.keys(state).length === 0) return full;
  const retention = evaluateText(part['api_retention_period'], scopeOf(session.config, part));
  const kept = retention === '' ? undefined : parseDuration(retention);
  if (!kept) return incremental;
  return isTooOld(session, [full, incremental], state, Number(kept.micros / 1000n) + kept.months * 30 * 86_400_000) ? full : incremental;
}

/** Whether the API has forgotten what was new since then. */
function isTooOld(session: AirbyteSession, parts: readonly Part[], state: JsonObject, retention: number): boolean {
  if (state['__ab_no_cursor_state_message'] === true) return false;
  for (const part of parts) {
    const cursor = cursorOf(session, partOf(part['incremental_sync']), false, undefined);
    const value = cursor && (partOf(state['state']) ?? state)[cursor.field];
    const mark = value === undefined ? undefined : cursor?.markOf(value);
    if (typeof mark === 'bigint') return Number(mark / 1000n) < session.clock.now() - retention;
  }
  return true;
}
