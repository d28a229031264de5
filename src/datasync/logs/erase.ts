import { command, first } from '../../db/database.ts';
import { byEngine, join, sql } from '../../db/sql.ts';
import { jsonWithout, textWithout } from '../../db/gone-texts.ts';
import type { NewLog } from './entry.ts';
import { indexedWords } from './words.ts';

const AT_ONCE = 500;

/** Takes texts that name a person out of entries, and out of the words that they are found by. The entries stay, and are counted as before. */
export const eraseFromLogs = command(import.meta.url, 'eraseFromLogs', async (tx, texts: readonly string[]): Promise<void> => {
  if (texts.length === 0) return;
  const whole = byEngine((engine) =>
    engine === 'postgres' ? sql`(message || ' ' || coalesce(data::text, ''))` : sql`(message || ' ' || coalesce(data, ''))`,
  );
  const has = byEngine((engine) =>
    join(
      texts.map((text) => (engine === 'postgres' ? sql`strpos(${whole}, ${text}) > 0` : sql`instr(${whole}, ${text}) > 0`)),
      ' or ',
    ),
  );
  let changed = false;
  for (let after = 0; ; ) {
    const rows = await tx.all<NewLog & { seq: number }>(sql`
      select seq, time, level, sync_id, run_id, source_id, stream, message, data, shop from logs where seq > ${after} and (${has}) order by seq limit ${AT_ONCE}`);
    for (const row of rows) {
      const [message, data] = [textWithout(row.message, texts), row.data === null ? null : jsonWithout(row.data, texts)];
      const words = indexedWords({ ...row, message });
      await tx.all(sql`update logs set message = ${message}, data = ${data} where seq = ${row.seq}`);
      if (tx.engine === 'postgres') {
        await tx.all(sql`update logs set words = array_to_tsvector(string_to_array(${words}, ' ')) where seq = ${row.seq}`);
      } else {
        await tx.all(sql`delete from log_words where rowid = ${row.seq}`);
        await tx.all(sql`insert into log_words (rowid, words) values (${row.seq}, ${words})`);
      }
      changed = true;
    }
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < AT_ONCE) break;
  }
  // The index keeps deleted words until it is joined.
  if (changed && tx.engine === 'sqlite') await first(tx, sql`insert into log_words (log_words) values ('optimize')`);
});
