import type { Stream } from '../../api/resources.ts';

export const SORTS = { failed: 'Failed first', name: 'Name', read: 'Most rows read', rejected: 'Most rejected', slow: 'Slowest' } as const;
export type Sort = keyof typeof SORTS;

/** What a person has to look at comes first, then what is under way. */
const RANKS: Record<Stream['status'], number> = {
  failed: 0,
  needs_approval: 1,
  partial: 2,
  running: 3,
  pending: 4,
  cancelled: 5,
  succeeded: 6,
};

interface Wanted {
  /** A part of the name at either end, in any case. */
  q: string;
  /** One status, or all of them when it is empty. */
  status: string;
  sort: Sort;
}

/** The streams of a run that are wanted, in the order that is wanted; those that are equal stay as they are defined. */
export function sortedStreams(streams: readonly Stream[], { q, status, sort }: Wanted): Stream[] {
  const text = q.trim().toLowerCase();
  const found = streams.filter(
    (stream) =>
      (status === '' || stream.status === status) &&
      (stream.name.toLowerCase().includes(text) || stream.target.toLowerCase().includes(text)),
  );
  return found.sort((one, other) => {
    if (sort === 'failed') return rankOf(one) - rankOf(other);
    if (sort === 'name') return one.name < other.name ? -1 : Number(one.name > other.name);
    if (sort === 'slow') return speedOf(one) - speedOf(other);
    return other[sort] - one[sort];
  });
}

function rankOf({ status, live }: Stream): number {
  return live === 'stopped' ? 0 : (RANKS[status] ?? 4);
}

/** What has read nothing has no speed, and is not slow for that. */
function speedOf({ read, rows_per_second: speed }: Stream): number {
  return read === 0 ? Number.MAX_VALUE : speed;
}
