import type { Batch, Reject } from '../../batch.ts';
import type { WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Api } from '../api.ts';
import { recordKey } from './idempotency.ts';
import { fillPath, placeholders } from '../answer/paths.ts';
import { isRecordFault } from './results.ts';
import { complaintIn } from '../answer/verdict.ts';
import { ofRecords } from './of-records.ts';
import type { WritePlan } from './plan.ts';
import { complaintOf, inParallel, none, readJson, refusedRecord } from './written.ts';

/** Removes the records of a batch, one by one. */
export async function remove(api: Api, plan: WritePlan, batch: Batch): Promise<WriteResult> {
  const { write, request } = plan;
  if (request.deletes === 'keep') return { ...none(), rejects: [] };
  const template = templateOf(plan);
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
    try {
      changes[await send(api, plan, path, recordKey(request, batch, index, { path, body: '' }))]++;
    } catch (error) {
      const key = { names: request.key, value: (_: unknown, name: string) => row[request.key.indexOf(name)] };
      if (!(error instanceof OutsideError) || error.kind !== 'data') throw ofRecords(error, [row], key);
      refuse(error.message);
    }
  });
  return { ...changes, rejects: rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** One request; answers what it changed. */
function send({ client }: Api, { write, signal }: WritePlan, path: string, key: string): Promise<'deleted' | 'unchanged'> {
  const headers = write.idempotency_header === '' ? {} : { [write.idempotency_header.toLowerCase()]: key };
  return client.ask({ method: 'DELETE', url: client.urlOf(path), headers, signal }, async (answer) => {
    const { status } = answer;
    if (status === 404 || status === 410) {
      await readJson(answer).catch(() => {});
      return 'unchanged';
    }
    if (isRecordFault(status, true)) throw await refusedRecord(client, answer, 'The API refused to remove it');
    if (status < 200 || status > 299) throw await client.refusalOf(answer, 'DELETE');
    const complaint = complaintIn(await readJson(answer, write.errors), write);
    if (complaint) throw complaintOf(client, complaint, answer, 'DELETE');
    return 'deleted';
  });
}

/** Where records are removed, when they can be. */
function templateOf({ write, request }: WritePlan): string {
  if (request.deletes === 'mark')
    throw new OutsideError('config', 'MARK_UNSUPPORTED', 'An API cannot be told that a record is marked as deleted.', {
      hint: 'Let deleted rows be deleted or kept.',
    });
  if (write.delete_path === undefined)
    throw new OutsideError('config', 'DELETE_UNSUPPORTED', 'Nothing can be removed from it.', { hint: 'Declare `write.delete_path`.' });
  const strange = placeholders(write.delete_path).find((name) => !request.key.includes(name));
  if (strange !== undefined)
    throw new OutsideError('config', 'FIELD_MISSING', `The path to remove a record needs "${strange}", which is not part of the key.`);
  return write.delete_path;
}
