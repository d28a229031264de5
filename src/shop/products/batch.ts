import { type TSchema, Type } from '../../lib/schema.ts';
import { errorBody } from '../../http/errors.ts';
import { Strict } from '../../http/schemas.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { SyncOutcome } from './commands.ts';
import { type Bytes, readLines } from './lines.ts';
import { checkedPatch, incomplete } from './patch.ts';
import type { ProductPatch } from './rules.ts';

const LINES_AT_ONCE = 1000;

export interface BatchContext {
  write: (patches: ProductPatch[]) => Promise<SyncOutcome[]>;
  now: () => number;
  log: Logger;
}

/** What a batch is answered with; a stream of lines gets the entries of `data`, one on each line. */
export function BatchAnswer(synced: TSchema) {
  const failure = Type.Object({ code: Type.String(), message: Type.String(), details: Type.Object({}, { additionalProperties: true }) });
  return Strict({
    success: Type.Literal(true),
    data: Type.Array(
      Strict({ index: Type.Integer(), success: Type.Boolean(), data: Type.Optional(synced), error: Type.Optional(failure) }),
    ),
    total: Type.Integer({ description: 'How many products were sent.' }),
    failed: Type.Integer({ description: 'How many of them were refused.' }),
  });
}

/** Writes an array of products in one transaction and answers for each. */
export async function syncBatch(inputs: readonly unknown[], context: BatchContext): Promise<string> {
  const { entries, failed } = await syncAll(
    inputs.map((value) => ({ value })),
    0,
    context,
  );
  return `{"success":true,"data":[${entries.join(',')}],"total":${inputs.length},"failed":${failed}}`;
}

/** The same for a stream: what has arrived is written, answered, and only then is more read. */
export async function* syncLines(stream: Bytes, context: BatchContext): AsyncGenerator<string> {
  let index = 0;
  try {
    for await (const lines of readLines(stream, LINES_AT_ONCE)) {
      const { entries } = await syncAll(lines, index, context);
      index += lines.length;
      yield `${entries.join('\n')}\n`;
    }
  } catch (error) {
    // The answer has begun, so its status is out; the last line tells that, and from where, the rest was not written.
    if (!(error instanceof AppError)) context.log.error({ err: error, index }, 'a stream of products failed by our fault');
    yield `${renderFailure(index, error instanceof AppError ? error : new AppError('INTERNAL_ERROR', 'Something went wrong on our side.'))}\n`;
  }
}

async function syncAll(inputs: readonly ({ value: unknown } | { error: AppError })[], firstIndex: number, context: BatchContext) {
  const entries: string[] = [];
  const patches: ProductPatch[] = [];
  const places: number[] = [];
  const now = context.now();
  let failed = 0;
  const refuse = (place: number, error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    entries[place] = renderFailure(firstIndex + place, error);
    failed++;
  };
  inputs.forEach((input, place) => {
    try {
      if ('error' in input) throw input.error;
      patches.push(checkedPatch(input.value, now));
      places.push(place);
    } catch (error) {
      refuse(place, error);
    }
  });
  const outcomes = patches.length > 0 ? await context.write(patches) : [];
  outcomes.forEach((outcome, i) => {
    const place = places[i] as number;
    if (typeof outcome !== 'string') refuse(place, incomplete(outcome.missing));
    else entries[place] = `{"index":${firstIndex + place},"success":true,"data":${outcome}}`;
  });
  return { entries, failed };
}

function renderFailure(index: number, { code, message, details }: AppError): string {
  return `{"index":${index},${errorBody(code, message, details).slice(1)}`;
}
