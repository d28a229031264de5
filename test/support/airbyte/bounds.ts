import { type Part, textAt } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { parseMoment } from '../../../src/connectors/airbyte/runtime/time/format.ts';
import { DAY, type Duration, SECOND } from '../../../src/connectors/airbyte/runtime/time/moment.ts';
import type { ReadSlots } from './slots.ts';

/** From when to when a request asks, in microseconds. */
export interface AskedBounds {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
}

/** How manifests write times besides their own format. */
const FORMATS = [
  '%Y-%m-%dT%H:%M:%S%z',
  '%Y-%m-%dT%H:%M:%S.%f%z',
  '%Y-%m-%dT%H:%M:%S',
  '%Y-%m-%d %H:%M:%S',
  '%Y-%m-%d',
  '%Y%m%d',
  '%d/%m/%Y',
  '%m/%d/%Y',
  '%d-%m-%Y',
];

export function boundsIn(sync: Part | undefined, { values: { start, end } }: ReadSlots): AskedBounds {
  if (sync?.['type'] === 'IncrementingCountCursor') return { from: start === undefined ? undefined : BigInt(start), to: undefined };
  const format = textAt(sync, 'datetime_format') ?? '';
  return { from: momentIn(start, format), to: momentIn(end, format) };
}

function momentIn(text: string | undefined, format: string): bigint | undefined {
  if (text === undefined) return undefined;
  for (const each of [format, ...FORMATS]) {
    const moment = each === '' ? undefined : parseMoment(text, each);
    if (moment) return moment.micros;
  }
  if (/^\d{10}(\.\d+)?$/.test(text)) return BigInt(Math.trunc(Number(text))) * SECOND;
  return /^\d{13}$/.test(text) ? BigInt(text) * 1000n : undefined;
}

/** The microseconds behind its end that belong to a slice as well. */
export function grainOf(granularity: Duration | undefined, sync: Part | undefined): bigint {
  if (sync?.['type'] === 'IncrementingCountCursor') return 0n;
  const isDay = !/%[HIsTf]|%epoch|%ms|%_ms/.test(textAt(sync, 'datetime_format') ?? '%H');
  return granularity ? granularity.micros : isDay ? DAY : 0n;
}

/**
 * What is wrong with the slices of a list: between two there may be no more than a grain, and none may begin before the one before ends. Where
 * several partitions lead to the same list, each begins where it has come to.
 */
export function sliceFault(asked: readonly AskedBounds[], grain: bigint, isShared: boolean): string | undefined {
  const known = new Map(asked.map((bounds) => [`${bounds.from} ${bounds.to}`, bounds]));
  const slices = [...known.values()].filter(
    (slice): slice is { from: bigint; to: bigint } => slice.from !== undefined && slice.to !== undefined,
  );
  slices.sort((a, b) => (a.from < b.from || (a.from === b.from && a.to < b.to) ? -1 : 1));
  for (const [index, slice] of slices.entries()) {
    const before = slices[index - 1];
    if (!before) continue;
    if (slice.from < before.to && !isShared) return `the slices from ${shown(before.from)} and ${shown(slice.from)} overlap`;
    if (slice.from - before.to > (grain > SECOND ? grain : SECOND))
      return `there is a gap between ${shown(before.to)} and ${shown(slice.from)}`;
  }
  return undefined;
}

function shown(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString();
}
