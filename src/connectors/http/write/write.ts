import type { Writer, WriteRequest } from '../../contract.ts';
import { type Api, ofStream, streamOf } from '../api.ts';
import { deliver } from './deliver.ts';
import { remove } from './remove.ts';
import { writePlanOf } from './plan.ts';

/** What is delivered is settled after about so many records. */
const SLICE = 100;

/**
 * An API keeps neither checkpoint nor note: the caller has to remember the position of the last batch. So nothing is asked
 * when it is opened, and what has become of a batch is told when the API has answered.
 */
export async function openWriter(api: Api, request: WriteRequest): Promise<Writer> {
  const stream = streamOf(api, request.stream);
  try {
    const plan = writePlanOf(api, request);
    const { batch_size: size } = plan.write;
    return {
      checkpoint: undefined,
      note: undefined,
      batchRows: Math.ceil(SLICE / size) * size,
      write: async (batch, settle) => {
        const sent = batch.operation === 'delete' ? remove(api, plan, batch) : deliver(api, plan, batch);
        const result = await sent.catch((error: unknown) => {
          throw ofStream(error, stream);
        });
        await settle?.(result);
        return result;
      },
      finish: async (_approve, settle) => {
        const result = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [] };
        await settle?.(result);
        return result;
      },
      close: async () => {},
    };
  } catch (error) {
    throw ofStream(error, stream);
  }
}
