import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Batch } from '../batch.ts';
import type { Writer, WriteRequest, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { checkpointSaver, none, prepareCheckpoints, takeOver, type Transact } from './checkpoints.ts';
import { affinityOf } from './declared.ts';
import { sqliteError } from './errors.ts';
import type { Config } from './manifest.ts';
import { finishMirror, prepareStage } from './mirror.ts';
import { breathe, patiently, quote } from './open.ts';
import { byName, insertSql, onConflict, rowWriter } from './rows.ts';
import { STAGE_PREFIX, type Table } from './schema.ts';
import { columnNamed, prepareTable } from './target.ts';
import { binderOf } from './to-sqlite.ts';

export async function openWriter(database: DatabaseSync, config: Config, request: WriteRequest, signal: AbortSignal): Promise<Writer> {
  if (request.mode !== 'append' && request.key.length === 0)
    throw new ConnectorError('config', 'KEY_MISSING', `To ${request.mode} "${request.stream}" a key is needed.`, {
      hint: 'Name the fields that tell rows apart.',
    });
  const transact: Transact = async (work) => {
    await breathe(signal);
    await patiently(config, signal, () => database.exec('begin immediate'));
    try {
      const result = work();
      await patiently(config, signal, () => database.exec('commit'));
      return result;
    } catch (error) {
      if (database.isOpen && database.isTransaction) database.exec('rollback');
      throw sqliteError(error, config.path);
    }
  };
  const stage = request.mode === 'mirror' ? stageName(request.owner) : undefined;
  const opened = await transact(() => {
    prepareCheckpoints(database);
    const position = takeOver(database, request, stage);
    const table = prepareTable(database, request);
    if (stage !== undefined) prepareStage(database, stage, request, table, position === undefined);
    return { position, table };
  });
  const save = checkpointSaver(database, request);
  const apply =
    stage === undefined ? applier(database, config, request, opened.table) : collector(database, config, request, opened.table, stage);
  return {
    checkpoint: opened.position,
    write: (batch) =>
      transact(() => {
        save(batch.position);
        return apply(batch);
      }),
    finish: async (approve) => {
      if (stage === undefined) {
        await transact(() => save.check());
        return { ...none(), rejects: [] };
      }
      return finishMirror({ database, transact, request, table: opened.table, stage, path: config.path, save }, approve);
    },
    close: async () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Puts a batch into the table itself. */
function applier(database: DatabaseSync, config: Config, request: WriteRequest, table: Table): (batch: Batch) => WriteResult {
  const { fields, key, mode, stream } = request;
  const path = config.path;
  let conflicts = 0;
  database.function('syncline_noticed', { directOnly: true }, () => ++conflicts);
  const conflict = mode === 'append' ? '' : ` ${onConflict(table, fields, key, 'syncline_noticed() and ')}`;
  const writer = rowWriter(database, {
    fields,
    key: mode === 'append' ? [] : key,
    table,
    sql: `${insertSql(stream, fields)}${conflict}`,
    path,
  });
  const remove = remover(database, request, table, stream);
  return (batch) => {
    if (batch.operation === 'delete') return remove(batch);
    conflicts = 0;
    const { count, changes, rejects } = writer.put(batch);
    const inserted = count - conflicts;
    return { inserted, updated: changes - inserted, unchanged: count - changes, deleted: 0, rejects };
  };
}

/** Puts a batch into the stage of a mirror, where the last row of a key counts. */
function collector(
  database: DatabaseSync,
  config: Config,
  request: WriteRequest,
  table: Table,
  stage: string,
): (batch: Batch) => WriteResult {
  const { fields, key } = request;
  const writer = rowWriter(database, {
    fields,
    key,
    table,
    sql: insertSql(stage, fields).replace(/^insert/, 'replace'),
    path: config.path,
  });
  const remove = remover(database, request, table, stage);
  return (batch) => {
    if (batch.operation === 'delete') return { ...remove(batch), deleted: 0 };
    return { ...none(), rejects: writer.put(batch).rejects };
  };
}

function remover(database: DatabaseSync, { key, fields }: WriteRequest, table: Table, name: string): (batch: Batch) => WriteResult {
  if (key.length === 0) {
    return () => {
      throw new ConnectorError('config', 'KEY_MISSING', `To remove rows of "${name}" a key is needed.`);
    };
  }
  const statement = database.prepare(`delete from main.${quote(name)} where ${key.map((column) => `${quote(column)} = ?`).join(' and ')}`);
  const keyFields = key.map((column) => fields.find((field) => field.name === column) as (typeof fields)[number]);
  const binders = keyFields.map(({ name: column, type }) => binderOf(type, affinityOf(columnNamed(table, column)?.declared ?? '')));
  return (batch) => {
    let deleted = 0;
    const rejects = batch.rows.flatMap((row, index) => {
      const values = binders.map((bind, at) => (row[at] === null || row[at] === undefined ? undefined : bind(row[at])));
      if (values.includes(undefined))
        return [{ index, row: byName(keyFields, row), reason: 'The key is not complete, or not of its type.' }];
      deleted += Number(statement.run(...(values as string[])).changes);
      return [];
    });
    return { ...none(), deleted, rejects };
  };
}

function stageName(owner: string): string {
  return `${STAGE_PREFIX}${createHash('sha256').update(owner).digest('hex').slice(0, 24)}`;
}
