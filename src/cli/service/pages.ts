import type { ServiceClient } from './client.ts';

const PAGE = 1000;

/** Every item of a list, page after page. */
export async function listAll<Item>(client: ServiceClient, path: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: Item[]; next_cursor: string | null } = await client.call(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}
