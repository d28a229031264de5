// Prints those of the files that are given which wait at their top level. Node needs --experimental-vm-modules for that.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import vm from 'node:vm';

// Not yet among the types of Node.
interface Compiled {
  hasTopLevelAwait(): boolean;
}

for (const file of process.argv.slice(2)) {
  const compiled = new vm.SourceTextModule(stripTypeScriptTypes(readFileSync(file, 'utf8'))) as unknown as Compiled;
  if (compiled.hasTopLevelAwait()) process.stdout.write(`${file}\n`);
}
