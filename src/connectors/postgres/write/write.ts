import type { WriteRequest, Writer } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { begin } from './begin.ts';
import type { Links } from '../wire/links.ts';
import { Line } from './line.ts';
import { finishLoad } from './load.ts';
import { finishMirror } from './mirror.ts';
import { parseStreamName } from '../catalogue/names.ts';
import { beginPart, finishPart, partsOf } from './parts.ts';
import { Unsettled } from './settling.ts';

export async function openWriter(links: Links, request: WriteRequest, schema: string): Promise<Writer> {
  const { signal } = request;
  links.demandGoing(signal);
  const name = parseStreamName(request.stream, schema);
  for (const field of request.key) if (!request.fields.some((one) => one.name === field)) throw keyMissing(field);
  if (request.mode === 'upsert' && request.key.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', 'To update rows by key, a key is needed.', { field: 'key' });
  const link = await links.take('write', signal);
  const cut = (): void => link.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      links.demandGoing(signal);
      throw error instanceof Unsettled ? error.cause : error;
    }
  };
  let isDone = false;
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', cut);
    if (isDone) links.giveBack(link);
    // What is under way goes with it.
    else link.destroy();
  };
  try {
    const { part } = request;
    const writing = await guarded(() => (part ? beginPart(link, name, { ...request, part }) : begin(link, name, request)));
    const line = new Line(writing);
    const finish: Writer['finish'] = async (approve, settle) => {
      if (writing.mustLast) await link.run('set synchronous_commit = on');
      if (part) return finishPart(writing, settle);
      return writing.way === 'stage' ? finishMirror(writing, approve, settle) : finishLoad(writing, approve, settle);
    };
    return {
      checkpoint: writing.position ?? undefined,
      note: writing.note ?? undefined,
      takesAhead: true,
      write: (batch, settle) => guarded(() => line.write(batch, settle)),
      finish: (...end) =>
        guarded(async () => {
          const finished = await finish(...end);
          isDone = !finished.refused;
          return finished;
        }),
      ...(!part && { parts: partsOf(writing, guarded) }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function keyMissing(field: string): OutsideError {
  return new OutsideError('config', 'FIELD_MISSING', `The key field "${field}" is not among the fields.`, { field });
}
