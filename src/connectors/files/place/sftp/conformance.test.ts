import { after } from 'node:test';
import { filesHarness } from '../../../../../test/support/files-conformance.ts';
import { triedFolder } from '../../../../../test/support/sftp-folder.ts';
import { startSsh } from '../../../../../test/support/ssh-server.ts';
import { isWhole } from '../../../../../test/support/whole.ts';
import { conformance } from '../../../conformance.ts';

const server = await startSsh();
after(() => server.stop());

// The formats are the same wherever files lie: one stands for all of them in `npm test`.
for (const format of isWhole ? (['csv', 'jsonl', 'parquet'] as const) : (['jsonl'] as const))
  conformance(
    `files over SFTP (${format})`,
    filesHarness(() => triedFolder(server), format, 600_000),
  );
