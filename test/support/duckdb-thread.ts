// The body of a thread that writes to a DuckDB file, as the thread of a run does.
import { workerData } from 'node:worker_threads';
import { Batch } from '../../src/connectors/batch.ts';
import { openDuckdb } from './duckdb-session.ts';

const { path, folder, stream, batches, rows } = workerData as {
  path: string;
  folder: string;
  stream: string;
  batches: number;
  rows: number;
};
const session = await openDuckdb({ path }, folder);
const writer = await session.write({
  stream,
  fields: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'v', type: 'text', nullable: true },
  ],
  key: ['id'],
  mode: 'upsert',
  owner: stream,
  token: 1n,
  create: true,
});
for (let batch = 0; batch < batches; batch++) {
  const values = Array.from({ length: rows }, (_, n) => [String(batch * rows + n), `${stream} ${batch} ${n}`]);
  await writer.write(Batch.ofRows(values, { position: String(batch) }));
}
await writer.close();
await session.close();
