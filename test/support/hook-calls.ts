// A command for the tests, in a file of its own because on SQLite the writer's thread imports it.
import { command } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';

interface InsertedCalls {
  hookId: string;
  calls: { seq: number; senderId: string | null; receivedAt: string; headers: string; body: string; encoding: 'utf8' | 'base64' }[];
}

/** A hook with these calls and no others, written behind the back of the API. */
export const insertCalls = command(import.meta.url, 'insertCalls', async (tx, { hookId, calls }: InsertedCalls): Promise<void> => {
  const at = '2026-11-01T00:00:00.000Z';
  await tx.all(sql`
    insert into hooks (id, name, scheme, calls, refused, version, created_at, updated_at, created_by)
    values (${hookId}, ${`a hook ${hookId}`}, 'token', 0, 0, 1, ${at}, ${at}, 'a test') on conflict (id) do nothing`);
  await tx.all(sql`delete from hook_calls where hook_id = ${hookId}`);
  for (const call of calls)
    await tx.all(sql`
      insert into hook_calls (hook_id, seq, sender_id, received_at, headers, body, encoding)
      values (${hookId}, ${call.seq}, ${call.senderId}, ${call.receivedAt}, ${call.headers}, ${call.body}, ${call.encoding})`);
  await tx.all(sql`update hooks set calls = ${calls.at(-1)?.seq ?? 0} where id = ${hookId}`);
});
