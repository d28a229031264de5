import type { Batch, Reject } from '../batch.ts';
import { comparable, isCanonical, type Row } from '../canonical.ts';
import type { Changes, Field, Settle, Writer, WriteRequest, WriteResult } from '../contract.ts';
import { fenced, OutsideError } from '../../outside/errors.ts';
import { MARK } from '../marks.ts';
import { sparedKeys } from '../spared.ts';
import type { Script } from './faults.ts';
import { type FakeCheckpoint, identityOf, identityOfKey, type Memory, type FakeTable } from './memory.ts';

/** Everything that changes the memory is one synchronous step, so that it happens as a whole or not at all. */
export async function openWriter(memory: Memory, script: Script, request: WriteRequest): Promise<Writer> {
  await script.at('open', { stream: request.stream, signal: request.signal });
  if (request.mode !== 'append' && request.key.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', `To ${request.mode} "${request.stream}" it needs a key.`);
  const known = memory.checkpoints.get(request.owner);
  const { fences = [] } = request;
  if ([request.owner, ...fences].some((owner) => (memory.checkpoints.get(owner)?.token ?? request.token) > request.token)) throw fenced();
  const table = prepared(memory, request);
  const goesOn = request.resume?.(known?.note) ?? true;
  const left = goesOn ? known : undefined;
  const checkpoint: FakeCheckpoint = {
    position: left?.position,
    note: left?.note,
    stage: request.mode === 'mirror' ? (left?.stage ?? new Map()) : undefined,
    spared: left?.spared ?? new Set(),
    token: request.token,
  };
  memory.checkpoints.set(request.owner, checkpoint);
  const untouched = { position: undefined, note: undefined, stage: undefined, spared: new Set<string>() };
  for (const owner of fences) memory.checkpoints.set(owner, { ...(memory.checkpoints.get(owner) ?? untouched), token: request.token });
  memory.open++;
  let [batches, isOpen] = [0, true];
  const mine = (): FakeCheckpoint => {
    const now = memory.checkpoints.get(request.owner);
    const isOurs = [request.owner, ...fences].every((owner) => memory.checkpoints.get(owner)?.token === request.token);
    if (!now || !isOurs) throw fenced();
    return now;
  };
  /** What is told before, is so when it is kept: nobody else writes in between. */
  const keep = async ({ result, steps }: PlannedWrite, position: string | undefined, settle: Settle | undefined): Promise<WriteResult> => {
    const note = await settle?.(result);
    const state = mine();
    memory.log.transact(() => {
      for (const step of steps) step();
    });
    [state.position, state.note] = [position, note ?? state.note];
    return result;
  };
  const finish: Writer['finish'] = async (approve, settle) => {
    const { stage, spared, position } = mine();
    if (!stage) return keep({ result: { ...none(), rejects: [] }, steps: [] }, position, settle);
    const planned = difference(memory, table, { stage, spared }, request.deletes ?? 'delete');
    if (approve && !(await approve(changesIn(planned.result)))) return { ...none(), rejects: [], refused: true };
    const empty = [(): void => stage.clear(), (): void => spared.clear()];
    return keep({ ...planned, steps: [...planned.steps, ...empty] }, undefined, settle);
  };
  return {
    checkpoint: checkpoint.position,
    note: checkpoint.note,
    write: async (batch, settle) => {
      await script.at('write', { stream: request.stream, batches, signal: request.signal });
      const result = await memory.inTurn(() => keep(plan(memory, table, mine(), request, batch), batch.position, settle));
      await script.at('commit', { stream: request.stream, batches, signal: request.signal });
      batches++;
      return result;
    },
    finish: async (approve, settle) => {
      await script.at('finish', { stream: request.stream, batches, signal: request.signal });
      return memory.inTurn(() => finish(approve, settle));
    },
    close: async () => {
      if (isOpen) memory.open--;
      isOpen = false;
    },
  };
}

type PreparedFor = Pick<WriteRequest, 'stream' | 'fields' | 'key' | 'create' | 'mode' | 'deletes'>;

/** The table as the request wants it: made, or given the fields that it lacks. */
export function prepared(memory: Memory, { stream, fields, key, create, mode, deletes }: PreparedFor): FakeTable {
  let table = memory.tables.get(stream);
  if (!table && !create) throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${stream}".`);
  table ??= memory.addTable(stream, { fields: [...fields], key: [...key] });
  const wanted = mode === 'mirror' && deletes === 'mark' ? [...fields, MARK] : fields;
  const missing = wanted.filter((field) => !table.fields.some((other) => other.name === field.name));
  if (missing[0] && !create) throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing[0].name}".`);
  table.fields = [...table.fields, ...missing.map((field) => ({ name: field.name, type: field.type, nullable: true }))];
  if (mode !== 'append' && table.key.toString() !== key.toString())
    throw new OutsideError('config', 'KEY_MISMATCH', `The key of "${stream}" is another.`);
  return table;
}

/** What would come of it, and the steps that make it so. */
interface PlannedWrite {
  result: WriteResult;
  steps: (() => void)[];
}

function plan(memory: Memory, table: FakeTable, state: FakeCheckpoint, request: WriteRequest, batch: Batch): PlannedWrite {
  const steps: (() => void)[] = [];
  if (batch.operation === 'delete') {
    const identities = batch.rows.map((row) => identityOfKey({ fields: table.fields, key: request.key }, row));
    const found = new Set(identities.filter((identity) => table.rows.has(identity)));
    for (const identity of found) steps.push(() => memory.remove(table, identity));
    return { result: { ...none(), deleted: found.size, rejects: [] }, steps };
  }
  const changes = none();
  const rejects: Reject[] = [];
  /** Rows as this batch leaves them. */
  const young = new Map<string, Row>();
  for (const [index, row] of batch.rows.entries()) {
    const fault = faultOf(row, request);
    if (fault) {
      rejects.push({ index, row: Object.fromEntries(request.fields.map((field, at) => [field.name, row[at]])), ...fault });
      continue;
    }
    const given = arranged(table, request.fields, row);
    const identity = identityOf(table, given as Row);
    const { stage } = state;
    if (stage && identity !== undefined) {
      steps.push(() => stage.set(identity, given));
      continue;
    }
    const stored =
      identity === undefined || request.mode === 'append' ? undefined : (young.get(identity) ?? table.rows.get(identity)?.values);
    const values = merged(table, stored, given);
    const kind = kindOf(table, stored, values);
    changes[kind]++;
    if (kind !== 'unchanged') steps.push(() => memory.put(table, values));
    if (identity !== undefined) young.set(identity, values);
  }
  for (const key of sparedKeys(request, batch, rejects)) steps.push(() => state.spared.add(identityOfKey(table, key)));
  return { result: { ...changes, rejects }, steps };
}

function difference(
  memory: Memory,
  table: FakeTable,
  { stage, spared }: { stage: ReadonlyMap<string, Partial<Row>>; spared: ReadonlySet<string> },
  deletes: 'delete' | 'mark' | 'keep',
): PlannedWrite {
  const changes = none();
  const steps: (() => void)[] = [];
  const mark = table.fields.findIndex((field) => field.name === MARK.name);
  for (const [identity, given] of stage) {
    const stored = table.rows.get(identity)?.values;
    const values = merged(table, stored, given);
    const kind = kindOf(table, stored, values);
    changes[kind]++;
    if (kind !== 'unchanged') steps.push(() => memory.put(table, values));
  }
  for (const [identity, { values }] of deletes === 'keep' ? [] : table.rows) {
    if (stage.has(identity) || spared.has(identity) || (deletes === 'mark' && (values[mark] ?? null) !== null)) continue;
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
  return { result: { ...changes, rejects: [] }, steps };
}

function kindOf(table: FakeTable, stored: Row | undefined, values: Row): 'inserted' | 'updated' | 'unchanged' {
  return !stored ? 'inserted' : isSame(table, stored, values) ? 'unchanged' : 'updated';
}

function changesIn({ inserted, updated, unchanged, deleted }: WriteResult): Changes {
  return { inserted, updated, unchanged, deleted };
}

/** The values in the order of the table's fields; undefined where the writer has none. */
function arranged(table: FakeTable, fields: readonly Field[], row: Row): Partial<Row> {
  return table.fields.map(({ name }) => {
    const at = fields.findIndex((field) => field.name === name);
    return at === -1 ? undefined : (row[at] ?? null);
  });
}

/** Fields that the writer does not have keep their values; a row that is written is not a deleted one any more. */
export function merged(table: FakeTable, stored: Row | undefined, values: Partial<Row>): Row {
  return table.fields.map(({ name }, at) => (values[at] !== undefined ? values[at] : name === MARK.name ? null : (stored?.[at] ?? null)));
}

export function isSame(table: FakeTable, a: Row, b: Row): boolean {
  return table.fields.every(({ type }, at) => comparable(type, a[at] ?? null) === comparable(type, b[at] ?? null));
}

export function faultOf(
  row: Row,
  { fields, key, mode }: Pick<WriteRequest, 'fields' | 'key' | 'mode'>,
): { field?: string; reason: string } | undefined {
  for (const [at, field] of fields.entries()) {
    const value = row[at] ?? null;
    if (value === null && mode !== 'append' && key.includes(field.name)) return { field: field.name, reason: 'The key is null.' };
    if (value === null && !field.nullable) return { field: field.name, reason: 'It must not be null.' };
    if (value !== null && !isCanonical(field.type, value))
      return { field: field.name, reason: `It is not a value of the type ${field.type}.` };
  }
  return undefined;
}

export function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}
