import { after, before } from 'node:test';
import { testApplying } from '../../../../test/support/applied-changes.ts';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

testApplying(() => ({
  session: () => Promise.resolve(session),
  run: (sql) => database.run(sql),
  rows: (sql) => database.rows(sql),
  witness: (table) =>
    database.run(`create table seen (n serial primary key, op text, id int8);
      create function see() returns trigger language plpgsql as $$ begin
        insert into public.seen (op, id) values (lower(tg_op), coalesce(new.id, old.id)); return null; end $$;
      create trigger see after insert or update or delete on ${table} for each row execute function see()`),
}));
