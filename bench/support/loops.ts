import { once } from 'node:events';
import { startProcess, temporaryFolder } from './processes.ts';

/** A process with a bare loop over node:sqlite, in a data directory of its own; what it answers to a message are the seconds that the work took. */
export async function startLoop<Work extends object>(contender: string): Promise<(work: Work) => Promise<number>> {
  const program = new URL(`../contenders/${contender}`, import.meta.url);
  const { child } = startProcess(program, [], { DATA_DIR: temporaryFolder() }, ['ignore', 'ignore', 'inherit', 'ipc']);
  await once(child, 'message');
  return async (work) => {
    const answered = once(child, 'message');
    child.send(work);
    return ((await answered) as [number])[0];
  };
}
