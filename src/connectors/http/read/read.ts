import type { Batch } from '../../batch.ts';
import type { ReadRequest } from '../../contract.ts';
import { aborted } from '../../../outside/errors.ts';
import { type Api, ofStream, streamOf } from '../api.ts';
import { readDeletions } from './deletions.ts';
import { readPages } from './pages.ts';
import { planOf } from './plan.ts';

/** Reads a stream page by page. */
export async function* read(api: Api, request: ReadRequest): AsyncGenerator<Batch> {
  const stream = streamOf(api, request.stream);
  try {
    if (api.signal.aborted) throw aborted();
    const plan = await planOf(api, request);
    if (plan.progress.isDone && !plan.cursor) return;
    const deletions = yield* readDeletions(api, plan);
    yield* readPages(api, { ...plan, progress: { ...plan.progress, deletions } });
  } catch (error) {
    throw ofStream(error, stream);
  }
}
