import type { Sync } from '../../api/resources.ts';

/** From what needs a person most to what needs none. */
const URGENCY: readonly string[] = ['failing', 'needs_approval', 'degraded', 'pending', 'paused', 'queued', 'running', 'loading', 'synced'];

export function byUrgency(a: Sync, b: Sync): number {
  return URGENCY.indexOf(a.health) - URGENCY.indexOf(b.health);
}

/** Whether it goes no further until a person looks at it. */
export function needsPerson({ health, health_code }: Sync): boolean {
  return health === 'failing' || health === 'needs_approval' || health === 'degraded' || health_code === 'paused_after_failures';
}

/** The reason without the requests that it names for those who use the interface: here there are links. */
export function reasonOf({ health_reason }: Pick<Sync, 'health_reason'>): string {
  return health_reason
    .replace(/ See why at GET .*$/s, '')
    .replace(/ Approve the run \S+ if/, ' Approve it if')
    .replace(/ See the run \S+, and write what differs: POST .*$/s, ' The proof shows what; a repair writes it.')
    .replace(/ the run \S+ (was undone|has written) since/, ' a run $1 since')
    .replace(/; to know it now: POST .*$/s, '; a verify tells it now.');
}
