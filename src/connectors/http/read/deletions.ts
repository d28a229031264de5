import { Batch } from '../../batch.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { type Api, streamOf } from '../api.ts';
import { type HttpReadPlan, planOf } from './plan.ts';
import { writePosition } from './position.ts';
import { readPages } from './pages.ts';

/**
 * What the stream of deletions tells; answers how far it was read. It comes before the records themselves, so that what was deleted and made
 * anew is there in the end.
 */
export async function* readDeletions(api: Api, plan: HttpReadPlan): AsyncGenerator<Batch, string | undefined> {
  const { stream, progress, cursor, signal, key } = plan;
  const { deletions } = stream;
  if (!deletions || !cursor) return progress.deletions;
  const told = streamOf(api, deletions.stream);
  const field = told.incremental?.field ?? '';
  let position = progress.deletions;
  const inner = await planOf(api, {
    stream: told.name,
    fields: deletions.key,
    key: [],
    cursor: field,
    signal,
    batchBytes: plan.batchBytes,
    ...(Number.isFinite(plan.batchRows) && { batchRows: plan.batchRows }),
    ...(position !== undefined && { after: position }),
  });
  const places = key.map(({ name }) => stream.key.indexOf(name));
  if (places.length !== stream.key.length || places.includes(-1))
    throw new OutsideError('config', 'KEY_MISSING', 'Deletions name records by the key that is declared, so it has to be the key.', {
      hint: `Use ${stream.key.join(', ')} as key.`,
    });
  for await (const batch of readPages(api, inner)) {
    position = batch.position;
    if (batch.count + batch.rejects.length === 0) continue;
    const rows = batch.rows.map((row) => places.map((place) => row[place] ?? null)).filter((row) => !row.includes(null));
    yield Batch.ofRows(rows, {
      position: writePosition(stream.name, cursor.name, { ...progress, deletions: position }),
      rejects: batch.rejects,
      operation: 'delete',
    });
  }
  return position;
}
