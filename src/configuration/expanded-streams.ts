import type { FieldError } from '../lib/errors.ts';
import { isWild, matching } from './defaults.ts';

/** A stream as a document has it, with defaults in their places. */
export interface WantedStream {
  readonly source: string;
  readonly target?: string;
  readonly exclude?: readonly string[];
}

interface Expanded<Stream> {
  /** One for each stream; those of a `*` in the order of their names. */
  readonly streams: Stream[];
  /** The place of each in the document. */
  readonly places: number[];
  readonly faults: FieldError[];
}

/** Puts the streams that there are in the place of those with a `*`. One that is named by itself is not taken a second time. */
export function expandedStreams<Stream extends WantedStream>(
  wanted: readonly Stream[],
  names: readonly string[],
): Expanded<Omit<Stream, 'exclude'>> {
  const taken = new Set(wanted.filter(({ source }) => !isWild(source)).map(({ source }) => source));
  const expanded: Expanded<Omit<Stream, 'exclude'>> = { streams: [], places: [], faults: [] };
  for (const [place, { exclude = [], ...stream }] of wanted.entries()) {
    const left = new Set(exclude.flatMap((pattern) => matching(pattern, names)));
    const found = isWild(stream.source)
      ? matching(stream.source, names).filter((name) => !left.has(name) && !taken.has(name))
      : [stream.source];
    if (found.length === 0)
      expanded.faults.push({ field: `streams[${place}].source`, reason: 'is none of the streams that the source has' });
    for (const source of found.sort()) {
      taken.add(source);
      const target = stream.target === undefined ? {} : { target: targetOf(stream.source, stream.target, source) };
      expanded.streams.push({ ...stream, source, ...target });
      expanded.places.push(place);
    }
  }
  return expanded;
}

/** What the `*` stands for at the source stands for the `*` of the target. */
function targetOf(pattern: string, target: string, source: string): string {
  if (!isWild(target)) return target;
  const [begin = '', end = ''] = pattern.split('*');
  return target.replace('*', () => source.slice(begin.length, source.length - end.length));
}
