import { after } from 'node:test';
import { filesHarness } from '../../../../../test/support/files-conformance.ts';
import { triedBucket } from '../../../../../test/support/s3-bucket.ts';
import { startS3 } from '../../../../../test/support/s3-server.ts';
import { conformance } from '../../../conformance.ts';

// The suite asks for thousands of things, and Swift takes its time for each: `npm test` has place.test.ts instead.
const server = await startS3();
after(() => server.stop());
for (const format of ['csv', 'jsonl', 'parquet'] as const)
  conformance(
    `files in S3 (${format})`,
    filesHarness(() => triedBucket(server), format, 3_600_000),
  );
