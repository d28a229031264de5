import { raw } from '../../../db/sql.ts';
import type { RunMode } from '../../../engine/run.ts';

const READING = ['preview', 'verify', 'repair_preview'] as const satisfies readonly RunMode[];

const COMPARING = ['verify', 'repair', 'repair_preview'] as const satisfies readonly RunMode[];

/** Whether runs of this mode compare both ends, and have a proof of each stream in the end. */
export function isProof(mode: RunMode): boolean {
  return (COMPARING as readonly RunMode[]).includes(mode);
}

/** The same as a condition on a row of `runs`. */
export const COMPARES_ENDS = raw(`mode in (${COMPARING.map((mode) => `'${mode}'`).join(', ')})`);

/** Whether runs of this mode write nothing at either end: they say nothing about how well a synchronization goes, and may be beside a live run. */
export function onlyReads(mode: RunMode): boolean {
  return (READING as readonly RunMode[]).includes(mode);
}

/** The same as a condition on a row of `runs`. It says `preview` by itself, so that the planner sees that the partial indexes fit. */
export function writesSomething(run = ''): ReturnType<typeof raw> {
  return raw(READING.map((mode) => `${run}mode <> '${mode}'`).join(' and '));
}

export function readsOnly(run = ''): ReturnType<typeof raw> {
  return raw(`${run}mode in (${READING.map((mode) => `'${mode}'`).join(', ')})`);
}
