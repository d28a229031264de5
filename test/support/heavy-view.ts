import { DatabaseSync } from 'node:sqlite';

/** Makes an SQLite file with the table `t`, and the view `heavy` whose first row would take longer than anybody lives. */
export function withHeavyView(path: string): string {
  const database = new DatabaseSync(path);
  const joined = Array.from({ length: 12 }, (_, at) => `t as t${at}`).join(', ');
  database.exec(`
    create table t (id integer primary key);
    with recursive n(n) as (select 1 union all select n + 1 from n where n < 1000) insert into t select n from n;
    create view heavy as select count(*) as id from ${joined};`);
  database.close();
  return path;
}

/** Whether somebody is in the middle of reading it. */
export function isBeingRead(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('begin exclusive; rollback');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
