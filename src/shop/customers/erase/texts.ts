import { command, type Connection } from '../../../db/database.ts';
import { byEngine, join, raw, type Sql, sql } from '../../../db/sql.ts';
import { GONE, jsonWithout } from '../../../db/gone-texts.ts';

// Words about orders and rows of other systems stand in tables of other rooms. What names a person is replaced there; rows that other systems sent us, and which have it,
// are removed. A test holds this table against the schema: a column that may hold such text is named here, or it is said there why it does not have to be.

interface TextPlace {
  /** Columns in which it is replaced. */
  text?: readonly string[];
  json?: readonly string[];
  /** Columns that are emptied: what a caller has called a request by is of no use with another word in it, and could then be that of two. */
  emptied?: readonly string[];
  /** Columns by which a row is removed. */
  removed?: readonly string[];
  which?: string;
  /** What tells the rows apart, where that is not `id`. */
  key?: readonly string[];
}

/** In this order: what a table has may be copied into those that follow, as an incident is into the events that tell of it, and must not be there afterwards. */
export const TEXT_PLACES: Readonly<Record<string, TextPlace>> = {
  rejects: { removed: ['identity', 'key', 'row', 'reason'] },
  hook_calls: { removed: ['body', 'headers'] },
  hooks: { text: ['refused_reason'] },
  idempotency_keys: { removed: ['key', 'answer'] },
  log_releases: { text: ['error'] },
  sources: { text: ['status_message'] },
  stock_movements: { text: ['reason'], emptied: ['key'] },
  runs: { json: ['report', 'error', 'triggered_by', 'undone'] },
  sync_state: { json: ['verified', 'schema_notices'], key: ['sync_id'] },
  webhook_deliveries: { text: ['error'], json: ['log'], key: ['webhook_id', 'seq'] },
  webhook_state: { text: ['reason'] },
  incidents: { text: ['object_name', 'summary', 'ending'], json: ['details'] },
  alert_messages: { text: ['error', 'object_name', 'summary'], json: ['details'] },
  alerts: { text: ['error'] },
  events: { json: ['data'], which: `topic <> 'orders'`, key: ['seq'] },
  audit: { text: ['object_id'], json: ['details'] },
};

/** Who shares an id, as all guests of a shop may do, has thousands of names. So many are looked for by one statement: SQLite takes no more than a thousand. */
export const TEXTS_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;

/** Takes texts that name a person, up to `TEXTS_AT_ONCE`, out of one of these tables. */
export const eraseTexts = command(
  import.meta.url,
  'eraseTexts',
  async (tx, { table, texts }: { table: string; texts: readonly string[] }): Promise<void> => {
    const { text = [], json = [], emptied = [], removed = [], which = 'true', key = ['id'] } = TEXT_PLACES[table] as TextPlace;
    if (texts.length === 0) return;
    for (const column of text) await replaceIn(tx, { table, column, which, texts });
    for (const column of json) await replaceInJson(tx, { table, column, which, texts, key });
    for (const column of emptied)
      await tx.all(sql`update ${raw(table)} set ${raw(column)} = null where ${raw(which)} and (${hasOne(column, texts)})`);
    const had = removed.map((column) => hasOne(column, texts));
    if (had.length > 0) await tx.all(sql`delete from ${raw(table)} where ${raw(which)} and (${join(had, ' or ')})`);
  },
);

interface Replacement {
  table: string;
  column: string;
  which: string;
  texts: readonly string[];
}

async function replaceIn(tx: Connection, { table, column, which, texts }: Replacement): Promise<void> {
  const value = texts.reduce(
    (inner, text) => sql`replace(${inner}, ${text}, ${text.startsWith('"') ? `"${GONE}"` : GONE})`,
    sql`${asText(column)}`,
  );
  await tx.all(sql`update ${raw(table)} set ${raw(column)} = ${value} where ${raw(which)} and (${hasOne(column, texts)})`);
}

type KeyedRow = Record<string, string | number> & { found: string };

/** Within its strings only, row by row: the number of a customer may be that of anything else as well. */
async function replaceInJson(
  tx: Connection,
  { table, column, which, texts, key }: Replacement & { key: readonly string[] },
): Promise<void> {
  const names = raw(key.join(', '));
  const values = (row: KeyedRow): Sql =>
    join(
      key.map((name) => sql`${row[name]}`),
      ', ',
    );
  let after = sql`true`;
  for (;;) {
    const rows = await tx.all<KeyedRow>(sql`
      select ${names}, ${asText(column)} as found from ${raw(table)} where ${raw(which)} and ${after} and (${hasOne(column, texts)})
      order by ${names} limit ${ROWS_AT_ONCE}`);
    for (const row of rows) {
      const left = jsonWithout(row.found, texts);
      if (left !== row.found) await tx.all(sql`update ${raw(table)} set ${raw(column)} = ${left} where (${names}) = (${values(row)})`);
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = sql`(${names}) > (${values(last)})`;
  }
}

function asText(column: string) {
  return byEngine((engine) => raw(engine === 'postgres' ? `"${column}"::text` : `"${column}"`));
}

function hasOne(column: string, texts: readonly string[]): Sql {
  const found = texts.map((text) =>
    byEngine((engine) =>
      engine === 'postgres' ? sql`strpos(${asText(column)}, ${text}) > 0` : sql`instr(${asText(column)}, ${text}) > 0`,
    ),
  );
  return join(found, ' or ');
}
