#!/usr/bin/env node
// Plain JavaScript, so that starting does not load the TypeScript stripper (30 MB): with the compile cache on before the
// first .ts file is asked for, every start but the first finds all of them stripped and compiled.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

enableCompileCache();
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/src/main.js');
