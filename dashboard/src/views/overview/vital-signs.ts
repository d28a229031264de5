import type { Incident, Metrics, Sync } from '../../api/resources.ts';
import { formatCount, plural } from '../../parts/words/format.ts';
import type { Tone } from '../../parts/status/status-shape.tsx';
import { formatLong, isLive, lagWords } from '../syncs/live-words.ts';

export interface Sign {
  label: string;
  value: string;
  note: string;
  tone: Tone;
}

interface Known {
  syncs: readonly Sync[];
  total: number;
  metrics: Metrics | undefined;
  incidents: readonly Incident[];
  now: number;
}

/** What tells whether data is where it should be: in sync, fresh, close behind, and proven. */
export function signsOf(known: Known): Sign[] {
  return [inSync(known), freshness(known), liveLag(known), verified(known)];
}

function inSync({ syncs, total }: Known): Sign {
  const count = syncs.filter(({ health }) => health === 'synced').length;
  const running = syncs.filter(({ health }) => health === 'running' || health === 'loading').length;
  const note = running > 0 ? `${formatCount(running)} running now` : 'nothing runs at the moment';
  return { label: 'In sync', value: `${formatCount(count)} of ${formatCount(total)}`, note, tone: count === total ? 'good' : 'waiting' };
}

/** Against what is expected, where something is: "Expect a run every". */
function freshness({ syncs, metrics, incidents, now }: Known): Sign {
  const late = incidents.filter(({ rule }) => rule === 'late').length;
  const expected = syncs.filter(({ expect_every }) => expect_every !== null).length;
  const onTime = late > 0 ? `${formatCount(late)} late` : expected > 0 ? 'On time' : undefined;
  const since = metrics ? now - Date.parse(metrics.to) : 0;
  const ages = metrics?.syncs.flatMap(({ live, lag_seconds }) => (live || lag_seconds === null ? [] : [lag_seconds + since / 1000])) ?? [];
  const oldest = ages.length === 0 ? undefined : formatLong(Math.max(0, Math.floor(Math.max(...ages) / 60) * 60));
  const age = oldest === '0 ms' ? 'under a minute' : oldest;
  return {
    label: 'Freshness',
    value: capital(onTime ?? age ?? '–'),
    note:
      onTime === undefined
        ? age === undefined
          ? 'no run has succeeded yet'
          : 'since the oldest success; no run is expected by a set time'
        : `${formatCount(expected)} expected by a set time${age === undefined ? '' : `; the oldest success is ${age} old`}`,
    tone: late > 0 ? 'bad' : onTime === undefined ? 'waiting' : 'good',
  };
}

/** More than this is worth a look. */
const FAR_BEHIND = 300;

function liveLag({ syncs }: Known): Sign {
  const live = syncs.filter((sync) => isLive(sync) && sync.status === 'active');
  if (live.length === 0) return { label: 'Live lag', value: '–', note: 'no synchronization is live', tone: 'waiting' };
  const lags = live.flatMap(({ lag }) => lag?.seconds ?? []);
  const furthest = Math.max(...lags);
  const value = lags.length === 0 ? 'not known yet' : lagWords(furthest);
  return {
    label: 'Live lag',
    value: capital(value),
    note: `${formatCount(live.length)} live${lags.length > 1 ? ', the furthest of them' : ''}`,
    tone: lags.length === 0 ? 'waiting' : furthest > FAR_BEHIND ? 'warning' : 'good',
  };
}

function verified({ syncs, total }: Known): Sign {
  const differ = syncs.filter((sync) => sync.verified?.result === 'differs' && sync.verified.since === null).length;
  const equal = syncs.filter((sync) => sync.verified?.result === 'equal').length;
  const value =
    differ > 0 ? `${formatCount(differ)} ${differ === 1 ? 'differs' : 'differ'}` : `${formatCount(equal)} of ${formatCount(total)}`;
  const note = equal + differ === 0 ? 'verify compares both ends, row by row' : `${plural(equal, 'synchronization')} proven equal`;
  return { label: 'Verified', value, note, tone: differ > 0 ? 'bad' : equal > 0 ? 'good' : 'waiting' };
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
