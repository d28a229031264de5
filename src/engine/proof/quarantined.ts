import { Batch } from '../../connectors/batch.ts';
import type { Row } from '../../connectors/canonical.ts';
import { valueOfShown } from '../../connectors/shown-values.ts';
import { mappingOf } from '../stream.ts';
import type { StreamWork } from '../stream-work.ts';
import { unusableKeys } from '../unusable-keys.ts';
import type { StoredReject } from '../run.ts';
import type { ProofShape } from './proof-shape.ts';

/** The rows in quarantine, by the digests of their keys as the target has them: none of them is missing. */
export async function* quarantinedKeys(work: StreamWork, shape: ProofShape): AsyncGenerator<string> {
  if (work.state.openRejects === 0) return;
  const { plan, ports } = work;
  const mapping = mappingOf(plan);
  const asMirror = { ...plan, write: { ...plan.write, mode: 'mirror' as const } };
  for (let after: string | undefined; ; ) {
    const page: readonly StoredReject[] = await ports.listRejects(plan.index, after);
    const last = page.at(-1);
    if (!last) return;
    after = last.identity;
    const batch = Batch.ofRows(rowsOf(work, page), { position: '' });
    const mapped = mapping.map(batch);
    for (const row of mapped.batch.rows) yield shape.marksOf(row).key;
    const unreadable = page.filter((reject) => reject.unreadable);
    const unread = Batch.ofRows([], { position: '', rejects: unreadable });
    for (const key of unusableKeys(asMirror, mapping, unread, mapped)) yield shape.keyMark(key);
  }
}

function rowsOf({ plan }: StreamWork, page: readonly StoredReject[]): Row[] {
  return page.filter(({ unreadable }) => !unreadable).map(({ row }) => plan.sourceFields.map(({ name }) => valueOfShown(row[name])));
}
