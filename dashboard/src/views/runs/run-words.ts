import type { Run } from '../../api/resources.ts';
import { formatCount, formatMoment, plural } from '../../parts/words/format.ts';

type RunError = NonNullable<Run['error']>;
type Counts = Pick<Run['totals'], 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;

const TRIGGERS: Record<string, string> = {
  manual: 'a person or a program asked for it',
  schedule: 'its time had come',
  change: 'something had changed',
  retry: 'rows that were put aside are tried again',
};

/** Why a run was started. */
export function triggerWords({ trigger }: Run): string {
  return TRIGGERS[trigger] ?? trigger;
}

const MODES: Record<string, string> = { full: 'Full', preview: 'Preview', rejects: 'Rejects again' };

/** What kind of run it is, where it is not the usual one. */
export function modeWord({ mode }: Run): string | undefined {
  return mode === 'run' ? undefined : (MODES[mode] ?? mode);
}

const KINDS: Record<string, string> = {
  config: 'A definition or a setting is not right. It stays so until somebody corrects it.',
  auth: 'A system refuses the login. Correct the password or key of the source; then run it again.',
  transient: 'This may well heal by itself.',
  data: 'The data stands in the way, not the connection.',
  fenced: 'Another run or another node has taken over.',
  bug: 'This is a fault of Syncline itself. Please report it, with the log beside.',
};

/** How one recovers from an error, and what happens by itself. */
export function recoveryWords({ kind }: RunError, run: Run): string {
  const general = KINDS[kind] ?? '';
  if (run.next_attempt_at !== null)
    return `${general} It is tried again by itself at ${formatMoment(run.next_attempt_at)} (attempt ${run.attempt}).`;
  return run.attempt > 1 ? `${general} It was tried ${plural(run.attempt, 'time')}.` : general;
}

/** `12 inserted, 3 updated`: what was done, without what was not. */
export function changeWords(counts: Counts): string {
  const done = (['inserted', 'updated', 'deleted', 'unchanged', 'rejected'] as const).filter((name) => counts[name] > 0);
  return done.map((name) => `${formatCount(counts[name])} ${name}`).join(' · ');
}
