// Reads streams of a manifest for the comparison with Airbyte's own: a line with what to read comes in, a line with what came goes out.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { realClock } from '../../src/connectors/airbyte/runtime/clock.ts';
import { StreamRun } from '../../src/connectors/airbyte/runtime/run.ts';
import { openStream, variantOf } from '../../src/connectors/airbyte/runtime/stream.ts';
import type { JsonObject } from '../../src/lib/exact-json.ts';
import { openSubject, type Subject, subjectOf } from '../support/airbyte/subject.ts';

const [port, manifestFile, settingsFile] = process.argv.slice(2) as [string, string, string];
const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as JsonObject;
const subject: Subject = { ...subjectOf(readFileSync(manifestFile, 'utf8'), Date.now()), settings };
/** Waits are over at once: the simulated API does not mind. */
const clock = { ...realClock, sleep: async () => {} };

for await (const line of createInterface({ input: process.stdin })) {
  const { stream, state = {} } = JSON.parse(line) as { stream: string; state?: JsonObject };
  process.stdout.write(`${JSON.stringify(await readOnce(stream, state))}\n`);
}

async function readOnce(stream: string, state: JsonObject): Promise<object> {
  const started = performance.now();
  const records: JsonObject[] = [];
  const told = (more: object): object => ({
    records,
    seconds: (performance.now() - started) / 1000,
    megabytes: process.resourceUsage().maxRSS / 1024,
    ...more,
  });
  const manifest = openSubject(subject, Number(port), clock);
  try {
    const part = variantOf(manifest.session, await manifest.stream(stream), state);
    const run = new StreamRun(openStream(manifest.session, part), {
      state,
      after: undefined,
      signal: manifest.session.signal,
      isAhead: true,
    });
    for await (const chunk of run.chunks()) {
      records.push(...chunk.records);
      chunk.at(chunk.records.length);
    }
    return told({ state: run.state() });
  } catch (error) {
    return told({ error: (error as Error).message });
  } finally {
    manifest.close();
  }
}
