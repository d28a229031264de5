import type { Batch, Reject } from '../batch.ts';
import { comparable, isCanonical, type Row } from '../canonical.ts';
import type { Changes, Field, Writer, WriteRequest, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import type { Script } from './faults.ts';
import { type Checkpoint, identityOf, identityOfKey, type Memory, type Table } from './memory.ts';

const MARK: Field = { name: '_deleted_at', type: 'timestamptz', nullable: true };

/** Everything that changes the memory is one synchronous step, so that it happens as a whole or not at all. */
export async function openWriter(memory: Memory, script: Script, request: WriteRequest): Promise<Writer> {
  await script.at('open', { stream: request.stream, signal: request.signal });
  if (request.mode !== 'append' && request.key.length === 0)
    throw new ConnectorError('config', 'KEY_MISSING', `To ${request.mode} "${request.stream}" it needs a key.`);
  const known = memory.checkpoints.get(request.owner);
  if (known && known.token > request.token) throw fenced(request);
  const table = prepared(memory, request);
  const checkpoint: Checkpoint = {
    position: known?.position,
    stage: request.mode === 'mirror' ? (known?.stage ?? new Map()) : undefined,
    token: request.token,
  };
  memory.checkpoints.set(request.owner, checkpoint);
  memory.open++;
  let [batches, isOpen] = [0, true];
  const mine = (): Checkpoint => {
    const now = memory.checkpoints.get(request.owner);
    if (now?.token !== request.token) throw fenced(request);
    return now;
  };
  return {
    checkpoint: checkpoint.position,
    write: async (batch) => {
      await script.at('write', { stream: request.stream, batches, signal: request.signal });
      const state = mine();
      const result = apply(memory, table, state, request, batch);
      state.position = batch.position;
      await script.at('commit', { stream: request.stream, batches, signal: request.signal });
      batches++;
      return result;
    },
    finish: async (approve) => {
      await script.at('finish', { stream: request.stream, batches, signal: request.signal });
      const { stage } = mine();
      if (!stage) return { ...none(), rejects: [] };
      const { changes, steps } = difference(memory, table, stage, request.deletes ?? 'delete');
      const refused = approve !== undefined && !(await approve({ ...changes }));
      const state = mine();
      if (!refused) for (const step of steps) step();
      [state.stage, state.position] = [new Map(), undefined];
      return refused ? { ...none(), rejects: [], refused } : { ...changes, rejects: [] };
    },
    close: async () => {
      if (isOpen) memory.open--;
      isOpen = false;
    },
  };
}

/** The table as the request wants it: made, or given the fields that it lacks. */
function prepared(memory: Memory, { stream, fields, key, create, mode, deletes }: WriteRequest): Table {
  let table = memory.tables.get(stream);
  if (!table && !create) throw new ConnectorError('config', 'STREAM_MISSING', `There is no stream "${stream}".`);
  table ??= memory.addTable(stream, { fields: [...fields], key: [...key] });
  const wanted = mode === 'mirror' && deletes === 'mark' ? [...fields, MARK] : fields;
  const missing = wanted.filter((field) => !table.fields.some((other) => other.name === field.name));
  if (missing[0] && !create)
    throw new ConnectorError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing[0].name}".`);
  table.fields = [...table.fields, ...missing.map((field) => ({ name: field.name, type: field.type, nullable: true }))];
  if (mode !== 'append' && table.key.toString() !== key.toString())
    throw new ConnectorError('config', 'KEY_MISMATCH', `The key of "${stream}" is another.`);
  return table;
}

function apply(memory: Memory, table: Table, state: Checkpoint, request: WriteRequest, batch: Batch): WriteResult {
  if (batch.operation === 'delete') {
    const deleted = batch.rows.filter((row) => memory.remove(table, identityOfKey({ fields: table.fields, key: request.key }, row))).length;
    return { ...none(), deleted, rejects: [] };
  }
  const changes = none();
  const rejects: Reject[] = [];
  for (const [index, row] of batch.rows.entries()) {
    const fault = faultOf(row, request);
    if (fault) {
      rejects.push({ index, row: Object.fromEntries(request.fields.map((field, at) => [field.name, row[at]])), ...fault });
      continue;
    }
    const values = arranged(table, request.fields, row);
    const identity = identityOf(table, values as Row);
    if (state.stage && identity !== undefined) state.stage.set(identity, values);
    else changes[put(memory, table, identity, values, request.mode === 'append')]++;
  }
  return { ...changes, rejects };
}

function put(
  memory: Memory,
  table: Table,
  identity: string | undefined,
  given: Partial<Row>,
  isNew: boolean,
): 'inserted' | 'updated' | 'unchanged' {
  const stored = identity === undefined || isNew ? undefined : table.rows.get(identity)?.values;
  const values = merged(table, stored, given);
  if (stored && isSame(table, stored, values)) return 'unchanged';
  memory.put(table, values);
  return stored ? 'updated' : 'inserted';
}

function difference(memory: Memory, table: Table, stage: ReadonlyMap<string, Partial<Row>>, deletes: 'delete' | 'mark' | 'keep') {
  const changes = none();
  const steps: (() => void)[] = [];
  const mark = table.fields.findIndex((field) => field.name === MARK.name);
  for (const [identity, given] of stage) {
    const stored = table.rows.get(identity)?.values;
    const values = merged(table, stored, given);
    const kind = !stored ? 'inserted' : isSame(table, stored, values) ? 'unchanged' : 'updated';
    changes[kind]++;
    if (kind !== 'unchanged') steps.push(() => memory.put(table, values));
  }
  for (const [identity, { values }] of deletes === 'keep' ? [] : table.rows) {
    if (stage.has(identity) || (deletes === 'mark' && (values[mark] ?? null) !== null)) continue;
    changes.deleted++;
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
    if (deletes === 'mark')
      steps.push(() =>
        memory.put(
          table,
          table.fields.map((_, at) => (at === mark ? now : (values[at] ?? null))),
        ),
      );
    else steps.push(() => memory.remove(table, identity));
  }
  return { changes, steps };
}

/** The values in the order of the table's fields; undefined where the writer has none. */
function arranged(table: Table, fields: readonly Field[], row: Row): Partial<Row> {
  return table.fields.map(({ name }) => {
    const at = fields.findIndex((field) => field.name === name);
    return at === -1 ? undefined : (row[at] ?? null);
  });
}

/** Fields that the writer does not have keep their values; a row that is written is not a deleted one any more. */
function merged(table: Table, stored: Row | undefined, values: Partial<Row>): Row {
  return table.fields.map(({ name }, at) => (values[at] !== undefined ? values[at] : name === MARK.name ? null : (stored?.[at] ?? null)));
}

function isSame(table: Table, a: Row, b: Row): boolean {
  return table.fields.every(({ type }, at) => comparable(type, a[at] ?? null) === comparable(type, b[at] ?? null));
}

function faultOf(row: Row, { fields, key, mode }: WriteRequest): { field?: string; reason: string } | undefined {
  for (const [at, field] of fields.entries()) {
    const value = row[at] ?? null;
    if (value === null && mode !== 'append' && key.includes(field.name)) return { field: field.name, reason: 'The key is null.' };
    if (value === null && !field.nullable) return { field: field.name, reason: 'It must not be null.' };
    if (value !== null && !isCanonical(field.type, value))
      return { field: field.name, reason: `It is not a value of the type ${field.type}.` };
  }
  return undefined;
}

function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}

function fenced({ owner }: WriteRequest): ConnectorError {
  return new ConnectorError('fenced', 'FENCED', `Somebody else has taken over the work of ${owner}.`);
}
