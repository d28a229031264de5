import type { Batch, Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { WriteResult } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Api } from '../api.ts';
import { recordKey } from './idempotency.ts';
import { fillPath, placeholders } from '../answer/paths.ts';
import { fatesIn, mutationOf } from './graphql.ts';
import { lookUp, plainOf } from './lookups.ts';
import { isRecordFault } from './results.ts';
import { complaintIn } from '../answer/verdict.ts';
import { ofRecords } from './of-records.ts';
import { lookingUp, type WritePlan } from './plan.ts';
import { complaintOf, inParallel, none, readJson, refusedRecord } from './written.ts';

/** Removes the records of a batch, one by one. */
export async function remove(api: Api, plan: WritePlan, batch: Batch): Promise<WriteResult> {
  const { write, request } = plan;
  if (request.deletes === 'keep') return { ...none(), rejects: [] };
  const how = howOf(plan);
  const changes = none();
  const rejects: Reject[] = [];
  const refused = (index: number, reason: string): void =>
    void rejects.push({ index, row: Object.fromEntries(request.key.map((name, at) => [name, batch.rows[index]?.[at] ?? null])), reason });
  const lookups = write.lookups.filter(({ field, into }) => request.key.includes(field) && how.needs.includes(into));
  const names = [...request.key, ...lookups.map(({ into }) => into)];
  const looking = { ...lookingUp(plan), lookups, value: (row: Row, name: string) => row[request.key.indexOf(name)] };
  const rows = await lookUp(api, looking, batch.rows, (index, _field, reason) => refused(index, reason));
  await inParallel([...rows.entries()], write.parallel, async ([index, row]) => {
    if (!row) return;
    const refuse = (reason: string): void => refused(index, reason);
    const valueOf = (name: string): string | null | undefined => {
      const at = names.indexOf(name);
      return at < request.key.length ? row[at] : plainOf(row[at]);
    };
    const path = fillPath(how.path, valueOf);
    if (path === undefined) {
      refuse('The key stands in the path of the API, and this value cannot.');
      return;
    }
    try {
      const body = how.body?.(row, names);
      changes[await send(api, plan, { path, body }, recordKey(request, batch, index, { path, body: body ?? '' }))]++;
    } catch (error) {
      const key = { names: request.key, value: (_: unknown, name: string) => row[request.key.indexOf(name)] };
      if (!(error instanceof OutsideError) || error.kind !== 'data') throw ofRecords(error, [row], key);
      refuse(error.message);
    }
  });
  return { ...changes, rejects: rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** One request; answers what it changed. */
function send(
  { client }: Api,
  { write, signal }: WritePlan,
  { path, body }: { path: string; body: string | undefined },
  key: string,
): Promise<'deleted' | 'unchanged'> {
  const method = body === undefined ? 'DELETE' : 'POST';
  const headers = write.idempotency_header === '' ? {} : { [write.idempotency_header.toLowerCase()]: key };
  return client.ask({ method, url: client.urlOf(path), headers, body, signal }, async (answer) => {
    const { status } = answer;
    if (body === undefined && (status === 404 || status === 410)) {
      await readJson(answer).catch(() => {});
      return 'unchanged';
    }
    if (isRecordFault(status, body === undefined)) throw await refusedRecord(client, answer, 'The API refused to remove it');
    if (status < 200 || status > 299) throw await client.refusalOf(answer, method);
    const told = await readJson(answer, write.errors);
    client.heed(told);
    const complaint = (body === undefined ? undefined : fatesIn(told, write, 1)?.complaints.get(0)) ?? complaintIn(told, write);
    if (complaint) throw complaintOf(client, complaint, answer, method);
    return 'deleted';
  });
}

/** Where and how records are removed, when they can be. */
interface Removing {
  path: string;
  /** What has to be known of the record. */
  needs: readonly string[];
  /** Of a mutation; a DELETE has none. */
  body?: (row: Row, names: readonly string[]) => string;
}

function howOf({ write, request }: WritePlan): Removing {
  if (request.deletes === 'mark')
    throw new OutsideError('config', 'MARK_UNSUPPORTED', 'An API cannot be told that a record is marked as deleted.', {
      hint: 'Let deleted rows be deleted or kept.',
    });
  const { graphql_delete: call, delete_path: template } = write;
  if (template === undefined && !call)
    throw new OutsideError('config', 'DELETE_UNSUPPORTED', 'Nothing can be removed from it.', { hint: 'Declare `write.delete_path`.' });
  const needs = call ? call.variables.flatMap(({ field }) => field ?? []) : placeholders(template ?? '');
  const isKnown = (name: string): boolean =>
    request.key.includes(name) || write.lookups.some(({ field, into }) => into === name && request.key.includes(field));
  const strange = needs.find((name) => !isKnown(name));
  if (strange !== undefined)
    throw new OutsideError('config', 'FIELD_MISSING', `The path to remove a record needs "${strange}", which is not part of the key.`);
  if (!call) return { path: template ?? '', needs };
  const typeOf = (name: string) => request.fields.find((field) => field.name === name)?.type ?? 'json';
  const body: Removing['body'] = (row, names) =>
    mutationOf(call, [{ json: '{}', row }], new Map(names.map((name, index) => [name, { index, type: typeOf(name) }])));
  return { path: write.path, needs, body };
}
