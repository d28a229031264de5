import type { Batch, Reject } from '../../batch.ts';
import { bisect } from '../../bisect.ts';
import type { Row } from '../../canonical.ts';
import type { WriteResult } from '../../contract.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import type { Api } from '../api.ts';
import { withMember } from './body.ts';
import { recordKey, requestKey } from './idempotency.ts';
import { fillPath, placeholders } from '../answer/paths.ts';
import { Patience } from '../client/patience.ts';
import { fatesIn } from './graphql.ts';
import { lookUp } from './lookups.ts';
import { complaintsIn, type Fates, isRecordFault, type Keys, resultsMissing, resultsUnknown } from './results.ts';
import { type Complaint, complaintIn } from '../answer/verdict.ts';
import { ofRecords } from './of-records.ts';
import { lookingUp, type WritePlan } from './plan.ts';
import { complaintOf, inParallel, none, readJson, refusedRecord } from './written.ts';

/** A record on its way. */
interface OutgoingRecord {
  index: number;
  row: Row;
  json: string;
  path: string;
  key: string;
}

type Refuse = (item: Pick<OutgoingRecord, 'index' | 'row'>, reason: string, field?: string) => void;

/** Sends the records of a batch; those that the API refuses come back as rejects. */
export async function deliver(api: Api, plan: WritePlan, batch: Batch): Promise<WriteResult> {
  const { write } = plan;
  const rejects: Reject[] = [];
  const changes = none();
  const refuse: Refuse = (item, reason, field) =>
    void rejects.push({ index: item.index, row: byName(plan, item.row), reason, ...(field !== undefined && { field }) });
  const rows = await lookUp(api, lookingUp(plan), batch.rows, (index, field, reason) =>
    refuse({ index, row: batch.rows[index] ?? [] }, reason, field),
  );
  const items = itemsOf(plan, batch, rows, refuse);
  const slices = Array.from({ length: Math.ceil(items.length / write.batch_size) }, (_, i) =>
    items.slice(i * write.batch_size, (i + 1) * write.batch_size),
  );
  await inParallel(slices, write.parallel, async (slice) => {
    const patience = new Patience(api.config.max_wait_seconds, plan.signal);
    for (let left: readonly OutgoingRecord[] = slice; left.length > 0; ) {
      const again: OutgoingRecord[] = [];
      let reason: { complaint: Complaint; error: OutsideError } | undefined;
      const bad = await bisect(left, async (part) => {
        const { status, complaints, unsent, errorOf } = await send(api, plan, part).catch((error: unknown) => {
          throw ofItems(plan, part, error);
        });
        // What an API did with a record is told by its status, if at all.
        changes[plan.request.mode === 'append' || status === 201 ? 'inserted' : 'updated'] += part.length - complaints.size - unsent.length;
        for (const at of unsent) again.push(part[at] as OutgoingRecord);
        for (const [at, complaint] of complaints) {
          const item = part[at] as OutgoingRecord;
          const error = errorOf(complaint);
          if (error.kind === 'data') refuse(item, error.message);
          else if (error.kind === 'transient') again.push(item);
          else throw ofItems(plan, [item], error);
          if (error.kind === 'transient') reason = { complaint, error: ofItems(plan, [item], error) as OutsideError };
        }
      });
      for (const { index, error } of bad) refuse(left[index] as OutgoingRecord, error.message);
      left = again;
      if (reason) await waitFor(patience, reason.complaint, reason.error);
    }
  });
  return { ...changes, rejects: rejects.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) };
}

/** Before the records that the API had no time for are sent again. */
async function waitFor(patience: Patience, { kind, retryAfter }: Complaint, error: OutsideError): Promise<void> {
  if (!patience.allows(retryAfter, kind === 'throttled')) throw error;
  await patience.wait(retryAfter, kind === 'throttled');
}

/** The records that can be sent. Of those with the same key, only the last. */
function itemsOf(plan: WritePlan, batch: Batch, rows: readonly (Row | undefined)[], refuse: Refuse): OutgoingRecord[] {
  const { write, request } = plan;
  const items = new Map<string, OutgoingRecord>();
  rows.forEach((row, index) => {
    if (!row) return;
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
      const json = plan.json(row);
      items.delete(identity);
      items.set(identity, { index, row, json, path, key: recordKey(request, batch, index, { path, body: plan.alone({ json, row }) }) });
    }
  });
  return [...items.values()];
}

interface Sent extends Fates {
  status: number;
  errorOf: (complaint: Complaint) => OutsideError;
}

/** One request. A refusal that concerns its records is an error of kind `data`. */
function send({ client }: Api, plan: WritePlan, items: readonly OutgoingRecord[]): Promise<Sent> {
  const { write, signal } = plan;
  const [first] = items as readonly [OutgoingRecord];
  const field = write.idempotency_field;
  const sent = items.map(({ json, row, key }) => ({ json: field === undefined ? json : withMember(json, field, key), row }));
  const call = {
    method: write.method,
    url: client.urlOf(first.path),
    headers: write.idempotency_header === '' ? {} : { [write.idempotency_header.toLowerCase()]: requestKey(items.map(({ key }) => key)) },
    body: plan.body(sent),
    signal,
  };
  return client.ask(call, async (answer, isAgain) => {
    const { status } = answer;
    if (isRecordFault(status, placeholders(write.path).length > 0))
      throw await refusedRecord(client, answer, 'The API refused it', isAgain);
    if (status < 200 || status > 299) throw await client.refusalOf(answer, write.method);
    if (write.results === undefined && status === 207) throw resultsUnknown();
    const body = await readJson(answer, write.errors);
    client.heed(body);
    const errorOf = (complaint: Complaint): OutsideError => complaintOf(client, complaint, answer, write.method);
    const fates = fatesOf(plan, body, items);
    // Where some records were refused, the others were taken, whatever is said of the whole.
    if (fates && (fates.complaints.size > 0 || fates.unsent.length > 0)) return { status, ...fates, errorOf };
    const whole = complaintIn(body, write, plan.isField);
    if (whole) throw errorOf(whole);
    if (!fates && write.graphql) throw resultsMissing('data', items.length);
    if (write.results !== undefined && !fates) throw resultsMissing(write.results, items.length);
    return { status, complaints: new Map(), unsent: [], errorOf };
  });
}

/** What the answer says of single records; undefined when it says nothing of them. */
function fatesOf(plan: WritePlan, body: unknown, items: readonly OutgoingRecord[]): Fates | undefined {
  const { write } = plan;
  if (write.graphql) return fatesIn(body, write, items.length);
  const complaints =
    write.results === undefined ? undefined : complaintsIn(body, write, { count: items.length, keys: keysOf(plan, items) });
  return complaints && { complaints, unsent: [] };
}

function ofItems({ request, value }: WritePlan, items: readonly OutgoingRecord[], error: unknown): unknown {
  return ofRecords(
    error,
    items.map(({ row }) => row),
    { names: request.key, value },
  );
}

/** By which an API may tell its results; none where records have no key. */
function keysOf({ request, value }: WritePlan, items: readonly OutgoingRecord[]): Keys {
  return { names: request.key, values: items.map(({ row }) => request.key.map((name) => value(row, name) ?? null)) };
}

function byName({ request }: WritePlan, row: Row): Record<string, unknown> {
  return Object.fromEntries(request.fields.map((field, at) => [field.name, row[at] ?? null]));
}
