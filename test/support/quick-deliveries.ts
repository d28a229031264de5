// The service as a process, with attempts that follow each other quickly: a program that is started in place of bin/syncline.js.
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';

const app = await buildApp({
  config: readConfig(process.env),
  log: createLog('warn'),
  deliveryTiming: {
    // Many, so that a receiver that is only rude never makes one fail for good.
    delays: Array.from({ length: 200 }, () => 40),
    probe: { first: 30, most: 120 },
    timeout: 400,
    mostRetryAfter: 200,
    lease: 1_000,
  },
});
console.log(`  API  ${await app.listen()}/`);
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
