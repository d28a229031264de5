import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadRequest } from './load.ts';
import { printedBy } from './printed-by.ts';
import { temporaryFolder } from './processes.ts';

/** Requests in turns at a rate that does not depend on how quickly they are answered. */
export interface SteadyPlan {
  url: string;
  requests: LoadRequest[];
  perSecond: number;
  seconds: number;
}

const CLIENT = fileURLToPath(new URL('./steady-client.ts', import.meta.url));
// Threads that compile and collect beside it would take a processor from what is measured, and there are few.
const LIGHT = ['--single-threaded', '--no-opt'];

/** Milliseconds until each answer. A single failed request is an error. */
export async function sendSteadily(plan: SteadyPlan): Promise<number[]> {
  const file = join(temporaryFolder(), 'steady.json');
  writeFileSync(file, JSON.stringify(plan));
  return JSON.parse(await printedBy(process.execPath, [...LIGHT, CLIENT, file])) as number[];
}
