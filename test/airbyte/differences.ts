import type { JsonObject } from '../../src/lib/exact-json.ts';
import type { Received } from '../support/api-server.ts';
import { withoutNow } from '../support/airbyte/simulator.ts';
import { sorted } from '../support/airbyte/slots.ts';
import type { ReadOutcome } from './readers.ts';

/** What came of a read, and what was asked for it. */
export interface Seen extends ReadOutcome {
  readonly requests: readonly Received[];
  readonly logins: readonly Received[];
}

/** Headers that tell of the program that asks, not of the manifest. */
const OF_PROGRAM = /^(host|user-agent|accept|accept-encoding|connection|content-length|content-type|transfer-encoding|keep-alive)$/;
const SHOWN = 400;

/** Where two reads of the same stream differ: errors, requests that only one made, records that only one gave. */
export function differences(ours: Seen, theirs: Seen, fleeting: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  if (ours.error !== undefined) faults.push(`ours fails: ${ours.error}`);
  if (theirs.error !== undefined) faults.push(`the CDK fails: ${theirs.error.slice(0, SHOWN)}`);
  if (faults.length > 0) return faults;
  // Ours logs in once for all that log in alike, the CDK once for each stream and parent.
  compare('login', unique(ours.logins.map(requestText)), unique(theirs.logins.map(requestText)), faults);
  compare('request', ours.requests.map(requestText), theirs.requests.map(requestText), faults);
  const recordText = (record: JsonObject): string => {
    const kept = Object.entries(record).filter(([name]) => !fleeting.has(name));
    return withoutNow(JSON.stringify(sorted(Object.fromEntries(kept))), Date.now());
  };
  compare('record', ours.records.map(recordText), theirs.records.map(recordText), faults);
  return faults;
}

function compare(what: string, ours: readonly string[], theirs: readonly string[], faults: string[]): void {
  const [onlyOurs, onlyTheirs] = [without(ours, theirs), without(theirs, ours)];
  if (onlyOurs.length === 0 && onlyTheirs.length === 0) return;
  faults.push(`${onlyOurs.length} of ${ours.length} ${what}s are only ours, ${onlyTheirs.length} of ${theirs.length} only the CDK's`);
  for (const [whose, only] of [
    ['ours', onlyOurs],
    ['CDK ', onlyTheirs],
  ] as const)
    if (only[0] !== undefined) faults.push(`  ${whose}: ${only[0].slice(0, SHOWN)}`);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** What the other list has less often. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of other) counts.set(text, (counts.get(text) ?? 0) + 1);
  return list.filter((text) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

function requestText({ method, url, headers, body }: Received): string {
  const query = [...url.searchParams].map(([name, value]) => `${name}=${value}`).sort();
  const own = Object.entries(headers)
    .filter(([name]) => !OF_PROGRAM.test(name))
    .map(([name, value]) => `${name}: ${String(value)}`)
    .sort();
  return withoutNow(
    `${method} ${url.origin}${decodeURIComponent(url.pathname)}?${query.join('&')} ${bodyText(body)} [${own.join('; ')}]`,
    Date.now(),
  );
}

function bodyText(body: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(body)));
  } catch {
    return body.split('&').sort().join('&');
  }
}
