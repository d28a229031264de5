import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesHarness, type TriedPlace } from '../../../test/support/files-conformance.ts';
import { isWhole } from '../../../test/support/whole.ts';
import { rootsOf } from '../../outside/roots.ts';
import { conformance } from '../conformance.ts';

async function start(): Promise<TriedPlace> {
  const root = await mkdtemp(join(tmpdir(), 'syncline-files-'));
  return {
    config: { path: root },
    context: { roots: rootsOf({ folders: [root], dataDir: join(root, 'none') }) },
    append: (name, text) => appendFile(join(root, name), text),
    close: () => rm(root, { recursive: true }),
  };
}

conformance('files (CSV)', filesHarness(start, 'csv'));
// The formats share what the suite is about, and have tests of their own; `npm run test:whole` has the suite for all of them.
if (isWhole) {
  conformance('files (JSON Lines)', filesHarness(start, 'jsonl'));
  conformance('files (Parquet)', filesHarness(start, 'parquet'));
}
