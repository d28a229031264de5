// The guides are true: the commands of those that can be followed by themselves are run as they stand there.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertAnswers, examplesIn, paste, startIn } from './support/guide.ts';
import { mysqlDatabase } from './support/mysql-database.ts';
import { startLogDatabase } from './support/postgres-log.ts';
import { isWhole } from './support/whole.ts';

const GUIDES = resolve(import.meta.dirname, '../docs/guides');

describe('the guide', { skip: !isWhole && 'npm run test:whole has it' }, () => {
  for (const [name, atLeast] of [
    ['from-cron-scripts.md', 12],
    ['shop-and-erp.md', 7],
    ['move-a-database.md', 9],
    ['from-airbyte.md', 7],
  ] as const)
    test(`${name} answers as it says`, async () => {
      const examples = examplesIn(readFileSync(join(GUIDES, name), 'utf8'));
      assert.ok(examples.length >= atLeast, `${examples.length} commands`);
      await followed(examples, assertAnswers);
    });
});

/** Follows a guide on databases that are its own: their names get an ending, and they are dropped afterwards. */
async function followed(examples: ReturnType<typeof examplesIn>, look: typeof assertAnswers): Promise<void> {
  const ending = randomUUID().slice(0, 8);
  const folder = mkdtempSync(join(tmpdir(), 'syncline-guide-'));
  const [mysql, postgres] = await Promise.all([mysqlDatabase(), startLogDatabase()]);
  const { host, port, user, password } = postgres.config;
  const service = await startIn(folder);
  const used = new Set<string>();
  const adapt = (script: string): string =>
    script
      .replace(/^export PGHOST=.*$/m, `export PGHOST=${host} PGPORT=${port} PGUSER=${user} PGPASSWORD='${password ?? 'secret'}'`)
      .replace(
        /^export MYSQL_HOST=.*$/m,
        `export MYSQL_HOST=${mysql.host} MYSQL_TCP_PORT=${mysql.port} MYSQL_USER=${mysql.user} MYSQL_PWD='${mysql.password}'`,
      )
      .replaceAll(/\bguide_[a-z]+/g, (database) => {
        used.add(`${database}_${ending}`);
        return `${database}_${ending}`;
      });
  try {
    look(paste(examples, folder, service.port, adapt));
  } finally {
    await service.stop();
    for (const database of used) {
      await postgres.run(`drop database if exists "${database}" with (force)`);
      await mysql.query(`drop database if exists \`${database}\``);
    }
    await Promise.all([mysql.close(), postgres.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
