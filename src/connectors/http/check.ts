import { CHECK_TIMEOUT, type CheckReport } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { type Api, ofStream } from './api.ts';
import type { RecordPage } from './answer/page.ts';
import type { HttpStreamConfig } from './config/config.ts';
import { at, parsePath, pathText } from './answer/paths.ts';
import { walkedStream } from './read/children.ts';
import { firstRecords } from './read/first-records.ts';

// Of the ten seconds of a check, these are for the API; the rest is for telling.
const MAX_TIME = CHECK_TIMEOUT - 1000;
const MAX_RECORDS = 100;
const MAX_STREAMS = 20;

/** Asks for the first page of every stream, as far as the time allows. */
export async function check(api: Api): Promise<CheckReport> {
  const warnings: string[] = [];
  const deadline = AbortSignal.timeout(MAX_TIME);
  const signal = AbortSignal.any([api.signal, deadline]);
  const streams = api.config.streams.filter((stream) => stream.path !== undefined || stream.from);
  const exported = streams.filter((stream) => walkedStream(api, stream).export);
  const readable = streams.filter((stream) => !exported.includes(stream));
  const started = performance.now();
  let tried = 0;
  try {
    for (const stream of readable.slice(0, MAX_STREAMS)) {
      // The first is always tried; others while there is time left for a whole answer.
      if (tried > 0 && performance.now() - started > MAX_TIME / 2) break;
      try {
        warnings.push(...(await checkStream(api, stream, signal)));
      } catch (error) {
        // That we ask too often, or that no time is left, says nothing against what was tried before.
        const isImpatience = deadline.aborted || (error instanceof OutsideError && error.code === 'RATE_LIMITED');
        if (tried > 0 && isImpatience && !api.signal.aborted) break;
        throw error;
      }
      tried++;
    }
    if (readable.length === 0) await checkHost(api, signal);
  } catch (error) {
    if (!deadline.aborted || api.signal.aborted) throw error;
    throw new OutsideError('transient', 'TIMEOUT', `${new URL(api.config.base_url).host} did not answer in time.`, {
      field: 'base_url',
      hint: 'Check the address and whether a firewall stands between.',
      cause: error,
    });
  }
  if (tried < readable.length)
    warnings.push(
      `Not tried: ${readable
        .slice(tried)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  if (exported.length > 0) warnings.push(`No export is started to try it: ${exported.map(({ name }) => name).join(', ')}.`);
  const written = api.config.streams.filter((stream) => stream.path === undefined && !stream.from);
  if (written.length > 0) warnings.push(`Writing cannot be tried without writing: ${written.map(({ name }) => name).join(', ')}.`);
  return { message: `${new URL(api.config.base_url).host}, ${tried} of ${api.config.streams.length} streams answered`, warnings };
}

async function checkStream(api: Api, stream: HttpStreamConfig, signal: AbortSignal): Promise<string[]> {
  const index = api.config.streams.indexOf(stream);
  try {
    let page: RecordPage | undefined;
    let bad = 0;
    let count = 0;
    for await (const { record } of firstRecords(api, stream, { signal, impatient: true, onPage: (first) => (page ??= first) })) {
      count++;
      if (!record) bad++;
      if (count >= MAX_RECORDS) break;
    }
    return warningsOf(api, stream, { envelope: page?.envelope(), count, bad });
  } catch (error) {
    const told = ofStream(error, stream);
    if (!(told instanceof OutsideError) || told.field !== undefined || told.kind !== 'config') throw told;
    const { kind, code, message, hint, cause } = told;
    throw new OutsideError(kind, code, message, { field: `streams[${index}].path`, ...(hint !== undefined && { hint }), cause });
  }
}

function warningsOf(api: Api, stream: HttpStreamConfig, page: { envelope: unknown; count: number; bad: number }): string[] {
  const { name, paging, records } = stream;
  const warnings: string[] = [];
  const path = api.places.get(name)?.path;
  if (records === undefined && path)
    warnings.push(`${name}: the records are taken from ${pathText(path)}; say so with \`records\` to make it certain.`);
  if (page.count === 0) warnings.push(`${name}: there are no records at the moment.`);
  if (page.bad > 0) warnings.push(`${name}: ${page.bad} of the first ${page.count} records cannot be read.`);
  const missing = (place: string | undefined): boolean =>
    place !== undefined && page.envelope !== undefined && at(page.envelope, parsePath(place)) === undefined;
  if ((paging.type === 'cursor' || paging.type === 'next_url') && missing(paging.next))
    warnings.push(`${name}: the first page has no "${paging.next}"; either there is only one page, or \`paging.next\` is wrong.`);
  if ('more' in paging && missing(paging.more))
    warnings.push(`${name}: the first page has no "${paging.more}"; either there is only one page, or \`paging.more\` is wrong.`);
  return warnings;
}

/** With nothing to read, that the API is there and accepts us is all that can be tried. */
async function checkHost({ client }: Api, signal: AbortSignal): Promise<void> {
  const answer = await client.send({ method: 'GET', url: client.urlOf(''), signal, impatient: true });
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500) throw await client.refusalOf(answer, 'GET');
  answer.discard();
}
