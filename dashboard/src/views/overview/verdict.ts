import type { Sync } from '../../api/resources.ts';
import { formatCount, plural } from '../../parts/words/format.ts';
import { visible } from '../../parts/words/visible.ts';
import { needsPerson } from './attention.ts';

export interface Verdict {
  tone: 'good' | 'busy' | 'warning' | 'bad';
  /** Whether all is well, in a sentence. */
  title: string;
  /** How the others are. */
  about: string;
}

/** Names of others may be as long as they like; a headline may not. */
const LONGEST_NAME = 60;

/** Whether all is well, as far as `syncs` are known of the `total`. `others` is how many open incidents there are of what is no synchronization, or of one that needs nobody. */
export function verdictOf(syncs: readonly Sync[], total: number, others: number): Verdict {
  const waiting = syncs.filter(needsPerson);
  const isAll = syncs.length >= total;
  const looked = isAll ? '' : `The first ${formatCount(syncs.length)} of `;
  const about = `${looked}${plural(total, 'synchronization')}: ${countsOf(syncs)}.`;
  if (waiting.length > 0) {
    const stopped = waiting.some(({ health }) => health === 'failing' || health === 'paused' || health === 'needs_approval');
    const [only] = waiting;
    const name = visible(only?.name ?? '');
    const title =
      waiting.length === 1
        ? `${name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name} needs you.`
        : `${waiting.length} of ${plural(total, 'synchronization')} need you.`;
    return { tone: stopped ? 'bad' : 'warning', title, about };
  }
  if (others > 0) return { tone: 'warning', title: `${plural(others, 'thing')} to look at.`, about };
  const fresh = syncs.filter(({ health }) => health === 'pending').length;
  if (fresh === syncs.length) return { tone: 'busy', title: 'Nothing has run yet.', about };
  return { tone: 'good', title: isAll ? 'All is well.' : `All is well with the first ${formatCount(syncs.length)}.`, about };
}

const COUNTED: readonly (readonly [string, readonly Sync['health'][]])[] = [
  ['in sync', ['synced']],
  ['running', ['running', 'loading', 'queued']],
  ['not run yet', ['pending']],
  ['paused', ['paused']],
  ['with something wrong', ['failing', 'needs_approval', 'degraded']],
];

/** `4 in sync, 1 running, 1 paused` */
function countsOf(syncs: readonly Sync[]): string {
  const counts = COUNTED.flatMap(([words, states]) => {
    const count = syncs.filter(({ health }) => states.includes(health)).length;
    return count === 0 ? [] : [`${formatCount(count)} ${words}`];
  });
  return counts.join(', ');
}
