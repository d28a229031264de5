// A thread that does runs, one at a time: whatever a run does, the API stays quick.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { executeRun } from '../../../engine/execute.ts';
import type { RunOrder } from '../../../engine/run.ts';
import { type MainThread, mainThreadOver, portsOf } from './run-ports.ts';
import type { FromRunThread, RunThreadSettings, ToRunThread } from './run-messages.ts';

/** How much a run's thread gives way to the one that answers requests. */
const NICENESS = 5;

const settings = workerData as RunThreadSettings;
const send = (message: FromRunThread): void => parentPort?.postMessage(message);
const main: MainThread = mainThreadOver(send);
let stopping = new AbortController();

// Linux gives every thread a priority of its own; elsewhere it would be that of the whole process.
// The service may have been started with a low one already, and nobody but root can raise it.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICENESS));

parentPort?.on('message', (message: ToRunThread) => {
  if ('order' in message) void run(message.order);
  else if ('stop' in message) stopping.abort(message.stop);
  else main.settle(message);
});

async function run(order: RunOrder): Promise<void> {
  stopping = new AbortController();
  const { ports, close } = portsOf(order, settings, main, stopping.signal);
  const outcome = await executeRun(order, ports, stopping.signal);
  close();
  send({ outcome });
}
