import { createHash } from 'node:crypto';
import type { Batch, Reject } from '../batch.ts';
import { bisect } from '../bisect.ts';
import type { Row } from '../canonical.ts';
import type { Changes, Writer, WriteRequest, WriteResult } from '../contract.ts';
import { ConnectorError } from '../errors.ts';
import { type Api, ofStream, streamOf } from './api.ts';
import { wrapped } from './body.ts';
import { fillPath, placeholders } from './paths.ts';
import { readText } from './refusals.ts';
import { failuresIn, isRecordFault } from './results.ts';
import { type WritePlan, writePlanOf } from './write-plan.ts';

const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_REFUSAL = 64 * 1024;

/**
 * An API keeps neither checkpoint nor note: whoever writes has to remember the position of the last batch. So nothing is asked
 * when it is opened, and what has become of a batch is told when the API has answered.
 */
export async function openWriter(api: Api, request: WriteRequest): Promise<Writer> {
  const stream = streamOf(api, request.stream);
  try {
    const plan = writePlanOf(api, request);
    return {
      checkpoint: undefined,
      note: undefined,
      write: async (batch, settle) => {
        const sent = batch.operation === 'delete' ? remove(api, plan, batch) : deliver(api, plan, batch);
        const result = await sent.catch((error: unknown) => {
          throw ofStream(error, stream);
        });
        await settle?.(result);
        return result;
      },
      finish: async (_approve, settle) => {
        const result = { ...none(), rejects: [] };
        await settle?.(result);
        return result;
      },
      close: async () => {},
    };
  } catch (error) {
    throw ofStream(error, stream);
  }
}

/** A record on its way. */
interface Item {
  index: number;
  row: Row;
  json: string;
  path: string;
}

async function deliver(api: Api, plan: WritePlan, batch: Batch): Promise<WriteResult> {
  const { write } = plan;
  const rejects: Reject[] = [];
  const changes = none();
  const refuse = (item: Pick<Item, 'index' | 'row'>, reason: string, field?: string): void =>
    void rejects.push({ index: item.index, row: byName(plan, item.row), reason, ...(field !== undefined && { field }) });
  const items = itemsOf(plan, batch.rows, refuse);
  const slices = Array.from({ length: Math.ceil(items.length / write.batch_size) }, (_, i) =>
    items.slice(i * write.batch_size, (i + 1) * write.batch_size),
  );
  await inParallel(slices, write.parallel, async (slice) => {
    const bad = await bisect(slice, async (part) => {
      const { status, failures } = await send(api, plan, batch, part);
      for (const [at, reason] of failures) {
        const item = part[at];
        if (item) refuse(item, reason);
      }
      // What an API did with a record is told by its status, if at all.
      changes[plan.request.mode === 'append' || status === 201 ? 'inserted' : 'updated'] += part.length - failures.size;
    });
    for (const { index, error } of bad) refuse(slice[index] as Item, error.message);
  });
  return { ...changes, rejects: rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** The records that can be sent. Of those with the same key, only the last. */
function itemsOf(
  plan: WritePlan,
  rows: readonly Row[],
  refuse: (item: { index: number; row: Row }, reason: string, field?: string) => void,
): Item[] {
  const { write, request } = plan;
  const items = new Map<string, Item>();
  rows.forEach((row, index) => {
    const empty = request.mode === 'upsert' ? request.key.find((name) => (plan.value(row, name) ?? null) === null) : undefined;
    const path = fillPath(write.path, (name) => plan.value(row, name));
    const vague = request.fields.find(({ type }, at) => type === 'json' && row[at]?.trim() === 'null')?.name;
    if (empty !== undefined) refuse({ index, row }, 'The key is null.', empty);
    else if (vague !== undefined) refuse({ index, row }, 'The API could not tell this JSON null from no value at all.', vague);
    else if (path === undefined) {
      const field = placeholders(write.path).find((name) => fillPath(`{${name}}`, () => plan.value(row, name)) === undefined);
      refuse({ index, row }, 'It stands in the path of the API, and this value cannot.', field);
    } else {
      const identity = request.mode === 'upsert' ? JSON.stringify(request.key.map((name) => plan.value(row, name))) : String(index);
      items.delete(identity);
      items.set(identity, { index, row, json: plan.json(row), path });
    }
  });
  return [...items.values()];
}

/** One request. A refusal that concerns its records is an error of kind `data`. */
async function send(
  api: Api,
  plan: WritePlan,
  batch: Batch,
  items: readonly Item[],
): Promise<{ status: number; failures: Map<number, string> }> {
  const { write, signal } = plan;
  const [first] = items as readonly [Item];
  const body = wrapped(write.batch_size === 1 ? first.json : `[${items.map(({ json }) => json).join(',')}]`, write.wrapper);
  const answer = await api.client.send({
    method: write.method,
    url: api.client.urlOf(first.path),
    headers: idempotency(plan, batch, first.index, body),
    body,
    signal,
  });
  if (isRecordFault(answer.status, placeholders(write.path).length > 0)) {
    const said = api.client.wordsOf(await readText(answer, MAX_REFUSAL).catch(() => ''));
    throw new ConnectorError('data', 'RECORD_REFUSED', `The API refused it (${answer.status})${said && `: ${said}`}`);
  }
  if (answer.status < 200 || answer.status > 299) throw await api.client.refusalOf(answer, write.method);
  const { status } = answer;
  if (write.results === undefined && status !== 207) {
    await drain(answer.body);
    return { status, failures: new Map() };
  }
  const text = await readText(answer, MAX_ANSWER);
  return { status, failures: failuresIn(text, { path: write.results, count: items.length, wordsOf: (said) => api.client.wordsOf(said) }) };
}

/** The same whenever the same record of the same batch is sent again, and different in every other case. */
function idempotency({ write, request }: WritePlan, batch: Batch, index: number, body: string): Record<string, string> {
  if (write.idempotency_header === '') return {};
  const parts = [request.owner, request.stream, batch.position, batch.operation, String(index), body];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return { [write.idempotency_header.toLowerCase()]: hash.digest('hex').slice(0, 48) };
}

async function remove(api: Api, plan: WritePlan, batch: Batch): Promise<WriteResult> {
  const { write, request, signal } = plan;
  const template = write.delete_path;
  if (request.deletes === 'keep') return { ...none(), rejects: [] };
  if (request.deletes === 'mark')
    throw new ConnectorError('config', 'MARK_UNSUPPORTED', 'An API cannot be told that a record is marked as deleted.', {
      hint: 'Let deleted rows be deleted or kept.',
    });
  if (template === undefined)
    throw new ConnectorError('config', 'DELETE_UNSUPPORTED', 'Nothing can be removed from it.', { hint: 'Declare `write.delete_path`.' });
  const strange = placeholders(template).find((name) => !request.key.includes(name));
  if (strange !== undefined)
    throw new ConnectorError('config', 'FIELD_MISSING', `The path to remove a record needs "${strange}", which is not part of the key.`);
  const changes = none();
  const rejects: Reject[] = [];
  await inParallel([...batch.rows.entries()], write.parallel, async ([index, row]) => {
    const refuse = (reason: string): void =>
      void rejects.push({ index, row: Object.fromEntries(request.key.map((name, at) => [name, row[at] ?? null])), reason });
    const path = fillPath(template, (name) => row[request.key.indexOf(name)]);
    if (path === undefined) {
      refuse('The key stands in the path of the API, and this value cannot.');
      return;
    }
    const answer = await api.client.send({
      method: 'DELETE',
      url: api.client.urlOf(path),
      headers: idempotency(plan, batch, index, path),
      signal,
    });
    const { status } = answer;
    if (status >= 200 && status <= 299) changes.deleted++;
    else if (status === 404 || status === 410) changes.unchanged++;
    else if (isRecordFault(status, true)) {
      const said = api.client.wordsOf(await readText(answer, MAX_REFUSAL).catch(() => ''));
      refuse(`The API refused to remove it (${status})${said && `: ${said}`}`);
      return;
    } else throw await api.client.refusalOf(answer, 'DELETE');
    await drain(answer.body);
  });
  return { ...changes, rejects: rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** So that the connection can be used again. A failure after the status tells nothing new. */
async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER) return;
    }
  } catch {
    // The record is written; that is what was asked.
  }
}

/** Works on several at once; the first failure ends it when those under way are done. */
async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failure) throw failure.error;
}

function byName({ request }: WritePlan, row: Row): Record<string, unknown> {
  return Object.fromEntries(request.fields.map((field, at) => [field.name, row[at] ?? null]));
}

function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}
