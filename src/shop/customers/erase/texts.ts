import { command } from '../../../db/database.ts';
import { byEngine, join, raw, type Sql, sql } from '../../../db/sql.ts';

// Words about orders and rows of other systems stand in tables of other rooms. What names a person is replaced there; rows that other systems sent us, and which have it,
// are removed. A test holds this table against the schema: a column that may hold such text is named here, or it is said there why it does not have to be.

interface TextPlace {
  /** Columns in which it is replaced. */
  text?: readonly string[];
  json?: readonly string[];
  /** Columns by which a row is removed. */
  removed?: readonly string[];
  which?: string;
}

/** In this order: what a table has may be copied into those that follow, as an incident is into the events that tell of it, and must not be there afterwards. */
export const TEXT_PLACES: Readonly<Record<string, TextPlace>> = {
  rejects: { removed: ['identity', 'key', 'row', 'reason'] },
  hook_calls: { removed: ['body', 'headers'] },
  hooks: { text: ['refused_reason'] },
  idempotency_keys: { removed: ['key', 'answer'] },
  log_releases: { text: ['error'] },
  sources: { text: ['status_message'] },
  stock_movements: { text: ['reason'] },
  runs: { json: ['report', 'error', 'triggered_by', 'undone'] },
  sync_state: { json: ['verified', 'schema_notices'] },
  webhook_deliveries: { text: ['error'], json: ['log'] },
  webhook_state: { text: ['reason'] },
  incidents: { text: ['object_name', 'summary', 'ending'], json: ['details'] },
  alert_messages: { text: ['error', 'object_name', 'summary'], json: ['details'] },
  alerts: { text: ['error'] },
  events: { json: ['data'], which: `topic <> 'orders'` },
  audit: { text: ['object_id'], json: ['details'] },
};

const GONE = 'erased';

/** Takes texts that name a person out of one of these tables. */
export const eraseTexts = command(
  import.meta.url,
  'eraseTexts',
  async (tx, { table, texts }: { table: string; texts: readonly string[] }): Promise<void> => {
    const { text = [], json = [], removed = [], which = 'true' } = TEXT_PLACES[table] as TextPlace;
    if (texts.length === 0) return;
    for (const column of text) await replaceIn(tx, { table, column, which, texts });
    // What is no part of a JSON text cannot stand in one.
    for (const column of json) await replaceIn(tx, { table, column, which, texts: texts.filter(isWithinJson), isJson: true });
    const had = removed.map((column) => hasOne(column, texts));
    if (had.length > 0) await tx.all(sql`delete from ${raw(table)} where ${raw(which)} and (${join(had, ' or ')})`);
  },
);

function isWithinJson(text: string): boolean {
  return !/(?<!\\)"/.test(text.slice(1, -1));
}

interface Replacement {
  table: string;
  column: string;
  which: string;
  texts: readonly string[];
  isJson?: boolean;
}

async function replaceIn(
  tx: { all: (query: Sql) => Promise<unknown> },
  { table, column, which, texts, isJson }: Replacement,
): Promise<void> {
  if (texts.length === 0) return;
  const value = texts.reduce(
    (inner, text) => sql`replace(${inner}, ${text}, ${text.startsWith('"') ? `"${GONE}"` : GONE})`,
    sql`${asText(column)}`,
  );
  const back = byEngine((engine) => raw(engine === 'postgres' && isJson ? '::json' : ''));
  await tx.all(sql`update ${raw(table)} set ${raw(column)} = ${value}${back} where ${raw(which)} and (${hasOne(column, texts)})`);
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
