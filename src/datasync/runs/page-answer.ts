import { cursorOf, type Page } from '../../http/paging.ts';

/** A page of which one more was read than was asked for, to know whether more follow. */
export function pageAnswer<Item extends { id: string }>(items: readonly Item[], total: number, { limit }: Page) {
  const data = items.slice(0, limit);
  return { data, total, next_cursor: items.length > limit ? cursorOf(data.at(-1)?.id ?? '') : null };
}
