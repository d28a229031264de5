import type { SourceStream } from '../../../../api/resources.ts';
import type { StreamDraft } from '../draft.ts';

/** A schema or folder, with all of it that is shown. */
export interface ListedGroup {
  readonly kind: 'group';
  readonly name: string;
  readonly streams: readonly ListedStream[];
}

/** A stream of the source, one that is chosen, or both. */
export interface ListedStream {
  readonly kind: 'stream';
  readonly name: string;
  /** The name within its group. */
  readonly short: string;
  /** What the source tells of it. None: the source does not have it, or cannot be asked. */
  readonly info: SourceStream | undefined;
  /** Where among the chosen ones it is. */
  readonly place: number | undefined;
  /** What tells it from all others, whether it is chosen or not. */
  readonly key: string;
}

export type Listed = ListedGroup | ListedStream;

export type Shown = 'all' | 'chosen' | 'others' | 'faulty';

interface Wanted {
  /** A part of the name, in any case. */
  text: string;
  shown: Shown;
  /** Whether something is wrong with a chosen stream. */
  isFaulty: (stream: StreamDraft) => boolean;
}

/**
 * All streams of a source beside those that are chosen. A stream that is written twice, to two targets, is there twice; those that the source does
 * not have come first.
 */
export function listStreams(all: readonly SourceStream[], chosen: readonly StreamDraft[]): ListedStream[] {
  const known = new Map(all.map((info) => [info.name, info]));
  // Some systems take upper and lower case in names for the same.
  const folded = new Map(all.map((info) => [info.name.toLowerCase(), info]));
  const placesOf = new Map<SourceStream, number[]>();
  const lost: ListedStream[] = [];
  for (const [place, { source }] of chosen.entries()) {
    const info = known.get(source) ?? folded.get(source.toLowerCase());
    if (info) placesOf.set(info, [...(placesOf.get(info) ?? []), place]);
    else lost.push({ kind: 'stream', name: source, short: source, info: undefined, place, key: `lost ${place}` });
  }
  const there = all.flatMap((info) =>
    (placesOf.get(info) ?? [undefined]).map((place, nth): ListedStream => {
      return { kind: 'stream', name: info.name, short: nameParts(info).short, info, place, key: `${nth} ${info.name}` };
    }),
  );
  return [...lost, ...there];
}

/** What of it is wanted. */
export function matching(
  streams: readonly ListedStream[],
  chosen: readonly StreamDraft[],
  { text, shown, isFaulty }: Wanted,
): ListedStream[] {
  const wanted = text.trim().toLowerCase();
  return streams.filter(({ name, place }) => {
    if (!name.toLowerCase().includes(wanted)) return false;
    if (shown === 'all') return true;
    if (shown === 'others') return place === undefined;
    const stream = place === undefined ? undefined : chosen[place];
    return stream !== undefined && (shown === 'chosen' || isFaulty(stream));
  });
}

/** The same with a line above each schema or folder, where there are any. */
export function grouped(streams: readonly ListedStream[]): Listed[] {
  const groups = Map.groupBy(streams, ({ info }) => (info ? nameParts(info).group : ''));
  return [...groups].flatMap(([name, members]): Listed[] =>
    name === '' ? members : [{ kind: 'group', name, streams: members }, ...members],
  );
}

/** `public.orders` is `orders` of `public`, and a file belongs to its folder. */
function nameParts({ name, kind }: SourceStream): { group: string; short: string } {
  const parts = kind === 'file' ? /^(.+)\/([^/]+)$/.exec(name) : /^("(?:[^"]|"")+"|[^".]+)\.(.+)$/s.exec(name);
  const isNamed = kind === 'file' || kind === 'table' || kind === 'view';
  return parts && isNamed ? { group: parts[1] ?? '', short: parts[2] ?? '' } : { group: '', short: name };
}

/** Whether someone may choose it. */
export function canChoose({ info, place }: ListedStream): boolean {
  return place !== undefined || info?.readable === true;
}
