import type { WriteRequest, Writer } from '../../contract.ts';
import { demandKey } from '../../sql-target/faults.ts';
import { begin } from './begin.ts';
import { finishWith } from './differences.ts';
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
  demandKey(request, request.mode === 'upsert');
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
    const { writing, mustLast } = await guarded(() => (part ? beginPart(link, name, { ...request, part }) : begin(link, name, request)));
    const line = new Line(writing);
    const finish: Writer['finish'] = async (approve, settle) => {
      if (mustLast || line.hasRows) await link.run('set synchronous_commit = on');
      if (part) return finishPart(writing, settle);
      return writing.way === 'stage' ? finishMirror(writing, approve, settle) : finishLoad(writing, approve, settle);
    };
    return {
      checkpoint: writing.checkpoint.position ?? undefined,
      note: writing.checkpoint.note ?? undefined,
      takesAhead: true,
      write: (batch, settle) => guarded(() => line.write(batch, settle)),
      finish: (...end) =>
        guarded(async () => {
          const finished = await finish(...end);
          isDone = !finished.refused;
          return finished;
        }),
      ...(!part && { parts: partsOf(writing, guarded) }),
      ...(!part &&
        request.mode === 'mirror' && {
          finishWith: (...differences) =>
            guarded(async () => {
              await link.run('set synchronous_commit = on');
              const finished = await finishWith(writing, ...differences);
              isDone = finished !== undefined && !finished.refused;
              return finished;
            }),
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
