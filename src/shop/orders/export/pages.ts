import { type Database, first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { OrderWish } from '../find/wish.ts';
import { type ExportedPage, exportPage } from './read.ts';

/** All orders that are meant, page by page, as fast as they are taken. Those that come to be meanwhile are not among them. */
export async function* exportedPages(db: Database, { wish, whole }: { wish: OrderWish; whole: boolean }): AsyncGenerator<ExportedPage> {
  const newest = await first<{ id: string | null }>(db.read, sql`select max(id) as id from orders`);
  const end = `${newest?.id ?? ''}~`;
  const before_id = wish.before_id === undefined || wish.before_id > end ? end : wish.before_id;
  for (let after: string | undefined; ; ) {
    const page = await db.query(exportPage, { wish: { ...wish, before_id }, after, whole });
    if (page.next === undefined) return;
    yield page;
    after = page.next;
  }
}
