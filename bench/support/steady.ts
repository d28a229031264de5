import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LoadRequest } from './load.ts';
import { temporaryFolder } from './processes.ts';

/** Requests in turns at a rate that does not depend on how quickly they are answered. */
export interface SteadyPlan {
  url: string;
  requests: LoadRequest[];
  perSecond: number;
  seconds: number;
}

const CLIENT = fileURLToPath(new URL('./steady-client.ts', import.meta.url));
const run = promisify(execFile);

/** Milliseconds until each answer. A single failed request is an error. */
export async function sendSteadily(plan: SteadyPlan): Promise<number[]> {
  const file = join(temporaryFolder(), 'steady.json');
  writeFileSync(file, JSON.stringify(plan));
  const running = run(process.execPath, [CLIENT, file], { maxBuffer: 64 * 1024 * 1024 });
  giveWayTo(running.child.pid);
  return JSON.parse((await running).stdout) as number[];
}

/** It stands for clients on other machines: what it measures shall not be how long it waited for a processor itself. Only root may do that. */
function giveWayTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, -10);
  } catch {
    console.log('What sends the requests has no precedence (that takes root): times under load include its own waiting.');
  }
}
