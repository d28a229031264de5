import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { apiTypes } from '../../scripts/api-types.ts';
import { startService } from '../support/service.ts';

test('the types of the dashboard are those of the interface as it is', async () => {
  const service = await startService('sqlite');
  const { body } = await service.get('/openapi.json', { key: null });
  await service.close();
  const file = 'dashboard/src/api-types.ts';
  const formatted = execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${file}`], {
    input: apiTypes(body),
    encoding: 'utf8',
  });
  assert.ok(
    formatted === readFileSync(file, 'utf8'),
    'The interface has changed: run `npm run api:types` and see whether the page still builds.',
  );
});
