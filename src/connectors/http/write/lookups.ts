import { isJsonObject, scalarText } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Row, Value } from '../../canonical.ts';
import { type Api, ofStream, pageOf } from '../api.ts';
import { at, fillPath, parsePath, placeholders } from '../answer/paths.ts';
import { parseRecord } from '../answer/records.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import type { Lookup } from '../config/lookup.ts';
import { pageRequest } from '../read/requests.ts';
import { LookedUp } from './looked-up.ts';
import { inParallel } from './written.ts';

export interface LookingUp {
  readonly stream: HttpStreamConfig;
  readonly lookups: readonly Lookup[];
  readonly parallel: number;
  readonly signal: AbortSignal;
  readonly value: (row: Row, name: string) => Value | undefined;
}

/** The rows, each with what was found behind its own values; `missing` is told of those for which nothing was. */
export async function lookUp(
  api: Api,
  { stream, lookups, parallel, signal, value }: LookingUp,
  rows: readonly Row[],
  missing: (index: number, field: string, reason: string) => void,
): Promise<readonly (Row | undefined)[]> {
  if (lookups.length === 0) return rows;
  const more: (Value[] | undefined)[] = rows.map((row) => [...row]);
  for (const [at, lookup] of lookups.entries()) {
    const known = foundOf(api, `${stream.name} ${at}`);
    const wanted = new Map<string, string | undefined>();
    for (const row of rows) {
      const text = value(row, lookup.field);
      if (text != null && !wanted.has(text)) wanted.set(text, known.get(text));
    }
    const unknown = [...wanted].flatMap(([text, found]) => (found === undefined ? [text] : []));
    const slices = Array.from({ length: Math.ceil(unknown.length / lookup.batch_size) }, (_, i) =>
      unknown.slice(i * lookup.batch_size, (i + 1) * lookup.batch_size),
    );
    await inParallel(slices, parallel, async (slice) => {
      for (const [text, found] of await ask(api, stream, lookup, slice, signal)) {
        wanted.set(text, found);
        known.set(text, found);
      }
    });
    rows.forEach((row, index) => {
      const text = value(row, lookup.field) ?? null;
      const found = text === null ? undefined : wanted.get(text);
      if (found !== undefined) more[index]?.push(found);
      else {
        if (more[index])
          missing(index, lookup.field, text === null ? 'It is to be looked up, and is null.' : 'The API has nothing of this value.');
        more[index] = undefined;
      }
    });
  }
  return more;
}

function foundOf({ found }: Api, name: string): LookedUp {
  const known = found.get(name) ?? new LookedUp();
  found.set(name, known);
  return known;
}

/** Asks for some values; answers what was found, as JSON. */
async function ask(
  api: Api,
  stream: HttpStreamConfig,
  lookup: Lookup,
  values: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { param, graphql, batch_size, path } = lookup;
  const isNamed = placeholders(path).length > 0;
  const filled = isNamed ? fillPath(path, () => values[0]) : path;
  // A value that cannot stand in a path is the name of nothing.
  if (filled === undefined) return new Map();
  const sent = batch_size === 1 ? values[0] : graphql ? values : values.join(',');
  const asked = { ...streamFor(stream, lookup), path: filled };
  const call = pageRequest(api.client, asked, { page: undefined, since: param === undefined ? undefined : [param, sent], signal });
  try {
    const page = await api.client.ask(call, async (answer) => {
      if (!isNamed || (answer.status !== 404 && answer.status !== 410)) return pageOf(api, asked, answer);
      answer.discard();
      return undefined;
    });
    const found = new Map<string, string>();
    for await (const some of page?.records ?? []) {
      for (const text of some) {
        const parsed = parseRecord(text);
        if ('record' in parsed) takeFrom(parsed.record, lookup, values, found);
      }
    }
    return found;
  } catch (error) {
    throw ofStream(error, stream);
  }
}

function takeFrom(
  record: Record<string, unknown>,
  { field, path, match, take, batch_size }: Lookup,
  values: readonly string[],
  found: Map<string, string>,
): void {
  const named = scalarText(at(record, match === undefined ? [field] : parsePath(match)));
  // A path names what is asked for; and without a member to tell by, what the API gives is that.
  const isIt = match === undefined && batch_size === 1 && (named === undefined || placeholders(path).length > 0);
  const value = isIt ? values[0] : named;
  if (value === undefined || !values.includes(value)) return;
  const taken = at(record, parsePath(take));
  if (taken === undefined || taken === null) return;
  const text = JSON.stringify(taken);
  const other = found.get(value);
  if (other !== undefined && other !== text)
    throw new OutsideError('config', 'LOOKUP_AMBIGUOUS', `The API has several records for one value of "${field}".`, {
      hint: 'Look it up by something that names one record only.',
    });
  found.set(value, text);
}

/** A lookup as a stream of one page. */
function streamFor(stream: HttpStreamConfig, { path, params, graphql, records, into }: Lookup): HttpStreamConfig {
  return {
    name: `${stream.name}, lookup of ${into}`,
    path,
    method: graphql ? 'POST' : 'GET',
    params,
    params_in: 'query',
    key: [],
    new_fields: 'ignore',
    paging: { type: 'none' },
    ...(graphql && { graphql }),
    ...(records !== undefined && { records }),
    ...(stream.errors && { errors: stream.errors }),
  };
}

/** What was found, as it stands in a path; undefined when it cannot. */
export function plainOf(json: string | null | undefined): string | undefined {
  if (json == null) return undefined;
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? undefined : scalarText(value);
}
