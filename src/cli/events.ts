import type { Config } from '../config.ts';
import { matchesType, patternFault } from '../webhooks/filter.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { UsageError } from './errors.ts';
import { createClient } from './service/client.ts';
import { explain, showList } from './shown/output.ts';

const TEXT = { type: 'string' } as const;
const PAGE = 1000;

interface Event {
  sequence: number;
  type: string;
  object_id: string;
  created_at: string;
}

/** Shows the events behind a place of the feed. */
export async function events(args: string[], config: Config): Promise<number> {
  const { values } = readArguments(args, { after: TEXT, types: TEXT, limit: TEXT, ...JSON_OPTION });
  const types = values.types === undefined ? ['*'] : patterns(values.types);
  const limit = values.limit === undefined ? 50 : wholeNumber('limit', values.limit, 1, 100_000);
  const client = createClient(config);
  const found: Event[] = [];
  let place = values.after === undefined ? 0 : wholeNumber('after', values.after, 0, Number.MAX_SAFE_INTEGER);
  // The feed has all types: those that are wanted may be far apart.
  for (let isMore = true; isMore && found.length < limit; ) {
    const { data } = await client.call<{ data: Event[] }>('GET', `/api/v1/events?after=${place}&limit=${PAGE}`);
    for (const event of data) {
      if (found.length >= limit) break;
      place = event.sequence;
      if (matchesType(types, event.type)) found.push(event);
    }
    isMore = data.length > 0;
  }
  const rows = found.map(({ sequence, type, object_id, created_at }) => [String(sequence), type, object_id, created_at]);
  const empty = 'Nothing like this has happened there.';
  showList({ json: values.json, found, headings: ['SEQUENCE', 'TYPE', 'OBJECT', 'AT'], rows, empty });
  if (!values.json && found.length === limit) explain(`There may be more: go on with --after ${place}.`);
  return 0;
}

function patterns(given: string): string[] {
  const types = given.split(',').map((one) => one.trim());
  for (const pattern of types) {
    const fault = patternFault(pattern);
    if (fault !== undefined) throw new UsageError(`--types: "${pattern}" ${fault}.`);
  }
  return types;
}
