// `npm test`: gets what the tests need, runs them all, and puts everything away again. Arguments are files to run instead.
import { execFileSync, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMysql } from './support/mysql-server.ts';
import { startPostgres } from './support/postgres-server.ts';

const asked = process.argv.slice(2);
const files = asked.length > 0 ? asked : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
// The page is tested as it is built: from the sources that are there now.
if (files.some((file) => file.includes('test/dashboard/'))) execFileSync(process.execPath, ['scripts/setup.js'], { stdio: 'inherit' });
// A single file should not wait for a server that it does not ask for.
const needsMysql = files.some((file) => /mysql-(database|session)\.ts'/.test(readFileSync(file, 'utf8')));
const [mysql, postgres] = await Promise.all([needsMysql ? startMysql() : undefined, startPostgres()]);
// In milliseconds, for each file.
const timeout = process.env['TEST_TIMEOUT'] ?? '600000';
// More than there may be processors: many files wait for what takes its time, such as a lease that runs out.
const runner = spawn(process.execPath, ['--test', '--test-concurrency=3', `--test-timeout=${timeout}`, '--test-force-exit', ...files], {
  stdio: 'inherit',
  // Every file is a process of its own, and most load the whole program: what one has compiled the next ones need not.
  env: {
    ...process.env,
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled'),
    TEST_POSTGRES_URL: postgres.url,
    ...(mysql && { TEST_MYSQL_URL: mysql.url }),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
const code = await new Promise<number>((resolve) => runner.on('close', (exit) => resolve(exit ?? 1)));
postgres.stop();
mysql?.stop();
process.exitCode = code;
