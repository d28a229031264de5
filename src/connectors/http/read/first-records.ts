import type { JsonObject } from '../../../lib/exact-json.ts';
import { type Api, askPage } from '../api.ts';
import type { RecordPage } from '../answer/page.ts';
import { parseRecord } from '../answer/records.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import { askChildren, descentOf, givenBy, inherited, listedIn } from './children.ts';
import { pageRequest } from './requests.ts';

/** A record of the first page, or undefined in the place of one that cannot be read. */
interface FirstRecord {
  readonly record: JsonObject | undefined;
  readonly size: number;
}

// What belongs to the first records of another stream may be nothing; further on there may be some.
const MOST_PARENTS = 10;

/** What the first page of a stream holds; of one that comes from another, what belongs to the first records of that. */
export async function* firstRecords(
  api: Api,
  stream: HttpStreamConfig,
  { signal, impatient = false, onPage }: { signal: AbortSignal; impatient?: boolean; onPage?: (page: RecordPage) => void },
): AsyncGenerator<FirstRecord> {
  const descent = descentOf(api, stream);
  if (!descent) {
    const page = await askPage(api, stream, {
      ...pageRequest(api.client, stream, { page: undefined, since: undefined, signal }),
      impatient,
    });
    onPage?.(page);
    yield* parsed(page);
    return;
  }
  let parents = 0;
  for await (const { record: parent, size } of firstRecords(api, descent.parent, { signal, impatient })) {
    if (!parent) continue;
    if (descent.list) {
      for (const child of listedIn(parent, descent.list)) yield { record: child && inherited(child, parent, descent), size };
      continue;
    }
    const page = await askChildren(api, stream, { page: undefined, given: givenBy(parent, descent), signal });
    if (page) onPage?.(page);
    let count = 0;
    if (page)
      for await (const { record, size: own } of parsed(page)) {
        count++;
        yield { record: record && inherited(record, parent, descent), size: own };
      }
    if (count > 0 || ++parents >= MOST_PARENTS) return;
  }
}

async function* parsed({ records }: RecordPage): AsyncGenerator<FirstRecord> {
  for await (const some of records)
    for (const found of some) {
      const made = parseRecord(found);
      yield { record: 'record' in made ? made.record : undefined, size: found.size };
    }
}
