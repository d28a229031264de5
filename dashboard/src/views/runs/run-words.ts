import type { Run } from '../../api/resources.ts';
import { formatCount, formatMoment, plural } from '../../parts/words/format.ts';

type RunError = NonNullable<Run['error']>;
type Counts = Pick<Run['totals'], 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;

const TRIGGERS: Record<string, string> = {
  manual: 'started manually',
  schedule: 'started by its schedule',
  change: 'started by a change',
  retry: 'started to retry rejected rows',
};

/** Why a run was started. */
export function triggerWords({ trigger, live, rolled }: Run): string {
  if (live) return rolled ? 'live, closed after its hour, and the next one went on' : 'live, it follows every change';
  return TRIGGERS[trigger] ?? trigger;
}

const MODES: Record<string, string> = {
  full: 'Full refresh',
  preview: 'Preview',
  rejects: 'Rejected rows',
  verify: 'Verify',
  repair: 'Repair',
  repair_preview: 'Preview of a repair',
};

/** What kind of run it is, where it is not the usual one. */
export function modeWord({ mode }: Run): string | undefined {
  return mode === 'run' ? undefined : (MODES[mode] ?? mode);
}

const KINDS: Record<string, string> = {
  config: 'A definition or a setting is not right. It stays so until a person corrects it.',
  auth: 'A system refuses the login. Correct the password or key of the system; then run it again.',
  transient: 'This may pass by itself.',
  data: 'The data is the problem, not the connection.',
  gap: 'Changes are lost at the source: the streams concerned have to be loaded anew.',
  fenced: 'Another run or another node has taken over.',
  bug: 'This is a bug of Syncline itself. Please report it, with the log of the run.',
};

/** What it takes to recover from an error, and what happens by itself. */
export function recoveryWords({ kind, end }: RunError, run: Run): string {
  const general = (KINDS[kind] ?? '').replace('of the system', `of the ${end ?? 'system'}`);
  if (run.next_attempt_at !== null)
    return `${general} It is retried automatically at ${formatMoment(run.next_attempt_at)} (attempt ${run.attempt}).`;
  return run.attempt > 1 ? `${general} There were ${plural(run.attempt, 'attempt')}.` : general;
}

/** `12 inserted, 3 updated`: what was done, without what was not. */
export function changeWords(counts: Counts): string {
  const done = (['inserted', 'updated', 'deleted', 'unchanged', 'rejected'] as const).filter((name) => counts[name] > 0);
  return done.map((name) => `${formatCount(counts[name])} ${name}`).join(' · ');
}
