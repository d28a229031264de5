import type { Api } from '../api.ts';
import type { RecordPage } from '../answer/page.ts';
import { at, parsePath } from '../answer/paths.ts';
import { parseRecord } from '../answer/records.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import { nextPage, type PageStart } from './paging.ts';
import type { HttpReadPlan } from './plan.ts';

interface Read {
  page: PageStart | undefined;
  count: number;
  last: FoundRecord | undefined;
}

/** Where the page begins that follows one that was read; undefined when it was the last. */
export function nextOf(api: Api, plan: HttpReadPlan, answer: RecordPage, { page, count, last }: Read): PageStart | undefined {
  const { paging } = plan.walked;
  const next = nextPage(paging, {
    start: page,
    count,
    envelope: answer.envelope(),
    headers: answer.headers,
    url: answer.url,
    origin: api.client.urlOf('/').origin,
    lastField: (name) => last && fieldOf(plan, last, name),
  });
  // An address is kept without our key in it.
  const isAddress = paging.type === 'next_url' || paging.type === 'link_header';
  return next !== undefined && isAddress ? api.client.bare(new URL(String(next))).href : next;
}

function fieldOf({ walked, fields }: HttpReadPlan, found: FoundRecord, name: string): unknown {
  const parsed = parseRecord(found);
  const declared = walked.fields?.find((field) => field.name === name)?.path;
  const path = declared === undefined ? (fields.find((field) => field.name === name)?.path ?? [name]) : parsePath(declared);
  return 'record' in parsed ? at(parsed.record, path) : undefined;
}
