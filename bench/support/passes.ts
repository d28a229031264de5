import { Batch } from '../../src/connectors/batch.ts';
import type { Session } from '../../src/connectors/session.ts';
import { MIXED_FIELDS } from './mixed-rows.ts';
import { wholeLines } from './whole-lines.ts';

/** Reads all rows of a stream as lines. */
export async function readAll(session: Session, stream: string): Promise<void> {
  let bytes = 0;
  for await (const batch of session.read({ stream, fields: MIXED_FIELDS.map(({ name }) => name), key: ['id'] }))
    bytes += batch.lines.length;
  if (bytes === 0) throw new Error('Nothing was read.');
}

/** Writes a file of COPY text by upsert, each batch with its position. */
export async function writeAll(session: Session, stream: string, file: string): Promise<void> {
  const writer = await session.write({
    stream,
    fields: MIXED_FIELDS,
    key: ['id'],
    mode: 'upsert',
    owner: `bench ${stream}`,
    token: 1n,
    create: true,
  });
  let place = 0;
  for await (const lines of wholeLines(file)) {
    const { rejects } = await writer.write(Batch.ofLines(lines, { position: String((place += lines.length)) }));
    if (rejects.length > 0) throw new Error(`Rows were refused: ${rejects[0]?.reason}`);
  }
  await writer.finish();
  await writer.close();
}
