#!/usr/bin/env -S node --max-semi-space-size=16
// The flag (also in `npm start` and in the image) keeps the young generation from growing for minutes under load: memory is
// then the same after 40,000 orders and after 200,000, and no slower.
//
// Plain JavaScript, so that starting does not load the TypeScript stripper (30 MB): with the compile cache on before the
// first .ts file is asked for, every start but the first finds all of them stripped and compiled.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache();
// Names are looked up by half of these threads, and one whose servers are silent keeps one of them for ten seconds and more. More threads
// take more memory: 16 of them took 50 MB more.
process.env.UV_THREADPOOL_SIZE ??= '6';
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/src/main.js');
