import { addSource, ask, madeUp, sqliteFile } from '../../support/real-syncs.ts';
import type { Service } from '../../support/service.ts';

/** The table in the warehouse, and how many rows it has when a run is through. */
export const SLOW_ROWS = 40_000;

/** A synchronization whose run takes some seconds and can be watched on its way: several batches, each of which is waited for. */
export async function addSlowSync(service: Service, name = 'Big table'): Promise<{ sync: string; warehouse: string }> {
  const warehouse = sqliteFile(service.place, `${Math.random()}.sqlite`);
  const source = await addSource(service, 'fake', madeUp({ count: SLOW_ROWS, fields: 20, delay_ms: 400 }), 'Ledger');
  const target = await addSource(service, 'sqlite', { path: warehouse }, 'Warehouse');
  const streams = [{ source: 't', target: 'ledger' }];
  const { id } = await ask(service, 'POST', '/sync', { name, source_id: source, target_id: target, streams });
  return { sync: id, warehouse };
}
