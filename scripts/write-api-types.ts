// `npm run api:types`: writes the types of the interface for the dashboard and for the client, from the document that the service serves. With
// `--check` it writes nothing, and fails where they are not as they should be.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiTypes } from './api-types.ts';
import { clientTypes } from './client-types.ts';
import { currentDocument } from './current-document.ts';

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
