import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDocument } from '../src/api-document.ts';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import type { OpenApiDocument } from './api-types.ts';

/** The document that a service of this version serves. */
export async function currentDocument(): Promise<OpenApiDocument> {
  const dataDir = mkdtempSync(join(tmpdir(), 'syncline-document-'));
  const app = await buildApp({ config: readConfig({ SYNCLINE_DATA_DIR: dataDir }), log: createLog('silent') });
  await app.close();
  rmSync(dataDir, { recursive: true });
  return apiDocument(app) as OpenApiDocument;
}
