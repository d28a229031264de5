// `npm run api:types`: writes the types of the interface for the dashboard and for the client, from the document that the service serves. With
// `--check` it writes nothing, and fails where they are not as they should be.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDocument } from '../src/api-document.ts';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { apiTypes, type OpenApiDocument } from './api-types.ts';
import { clientTypes } from './client-types.ts';

const root = join(import.meta.dirname, '..');
const document = await currentDocument();
const files = { 'dashboard/src/api-types.ts': apiTypes(document), 'clients/typescript/src/api-types.ts': clientTypes(document) };
for (const [file, text] of Object.entries(files)) {
  const formatted = execFileSync('biome', ['format', `--stdin-file-path=${file}`], { cwd: root, input: text, encoding: 'utf8' });
  if (!process.argv.includes('--check')) writeFileSync(join(root, file), formatted);
  else if (readFileSync(join(root, file), 'utf8') !== formatted) {
    console.error(`${file} is not as the interface is: run \`npm run api:types\`, and see whether what uses it still builds.`);
    process.exitCode = 1;
  }
}

async function currentDocument(): Promise<OpenApiDocument> {
  const dataDir = mkdtempSync(join(tmpdir(), 'syncline-types-'));
  const app = await buildApp({ config: readConfig({ SYNCLINE_DATA_DIR: dataDir }), log: createLog('silent') });
  await app.close();
  rmSync(dataDir, { recursive: true });
  return apiDocument(app) as OpenApiDocument;
}
