// `npm run dashboard:types`: writes the types of the interface for the dashboard, from the document that the service serves.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { openApiDocument } from '../src/http/pages/openapi.ts';
import { createLog } from '../src/lib/log.ts';
import { VERSION } from '../src/version.ts';
import { apiTypes, type OpenApiDocument } from './api-types.ts';

const target = fileURLToPath(new URL('../dashboard/src/api-types.ts', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'syncline-types-'));
const app = await buildApp({ config: readConfig({ SYNCLINE_DATA_DIR: dataDir }), log: createLog('silent') });
writeFileSync(target, apiTypes(openApiDocument(app.routes, VERSION, app.doors) as OpenApiDocument));
await app.close();
rmSync(dataDir, { recursive: true });
execFileSync('biome', ['format', '--write', target], { stdio: 'inherit' });
