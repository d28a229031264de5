// `npm run check:openapi`: has Redocly and Spectral look at the document, with all of their recommended rules; a warning is a failure. They are large, and
// are fetched when they are asked for. What they look for is also in test/e2e/openapi.test.ts, which needs neither.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentDocument } from './current-document.ts';

const LINTERS = [
  ['@redocly/cli@2.77.0', 'redocly', 'lint', '--extends=recommended-strict', 'openapi.json'],
  ['@stoplight/spectral-cli@6.16.3', 'spectral', 'lint', '--fail-severity=hint', 'openapi.json'],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'syncline-openapi-'));
writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await currentDocument()));
writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
for (const [linter, ...command] of LINTERS) {
  const { status } = spawnSync('npx', ['--yes', '--package', linter, '--', ...command], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
