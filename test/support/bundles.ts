import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Files that load others, which are then run in one process, each as a suite with its path as the name. A process for each would load the whole program and warm
 * it up, hundreds of times: that was a third of all work. Neighbours come into different bundles, so that none takes much longer than the others.
 */
export function bundle(files: readonly string[], most: number, folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, at) => {
    const bundled = files.filter((_file, place) => place % count === at);
    const suites = bundled.map((file) => `describe(${JSON.stringify(file)}, () => { require(${JSON.stringify(resolve(file))}); });\n`);
    const entry = join(folder, `bundle-${at}.test.cjs`);
    // Loaded at once: what a file registers belongs to the suite that is being described, and to another one later on.
    writeFileSync(entry, `const { describe } = require('node:test');\n${suites.join('')}`);
    return entry;
  });
}
