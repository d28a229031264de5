// Runs a synchronization by the engine alone, in a process that a test can kill: what it does is in the first argument.
import { engineRuns } from './engine-run.ts';

const { status } = await engineRuns(JSON.parse(process.argv[2] ?? '') as Parameters<typeof engineRuns>[0]).run({ id: 'run_killed' });
process.stdout.write(status);
