// A process that sends one load with autocannon: takes the plan as a JSON file, prints the result as JSON.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Plan } from './load.ts';

const [file = ''] = process.argv.slice(2);
const { url, load, extent, keyPrefix } = JSON.parse(readFileSync(file, 'utf8')) as Plan;
let sent = 0;

const result = await autocannon({
  url,
  connections: load.connections,
  timeout: 10,
  ...('amount' in extent ? { amount: extent.amount } : { duration: extent.seconds }),
  requests: load.requests.map((request) => ({
    ...request,
    ...(load.uniqueKeys && {
      setupRequest: (given) => ({ ...given, headers: { ...given.headers, 'idempotency-key': `${keyPrefix}${sent++}` } }),
    }),
  })),
});
process.stdout.write(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    p99: result.latency.p99,
    failed: result.errors + result.timeouts + result.non2xx,
  }),
);
