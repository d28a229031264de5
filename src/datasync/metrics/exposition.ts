import type { RefusedKeys } from '../../http/callers/refused-keys.ts';
import { DURATION_BOUNDS, type RequestTally } from '../../http/connections/request-tally.ts';
import type { Traffic } from '../../http/connections/traffic.ts';
import { ENDED, type Figures, UNDER_WAY } from './figures.ts';
import type { Metrics, SyncFigures } from './metrics.ts';
import type { ProcessFigures } from './process-figures.ts';
import { family, histogram, type Labels, type MetricSample } from './text-format.ts';

const DAY = 24 * 3_600_000;

export interface Exposed {
  metrics: Metrics;
  requests: RequestTally;
  traffic: Traffic;
  refusedKeys: Pick<RefusedKeys, 'counts' | 'slowed'>;
  process: ProcessFigures;
  version: string;
}

/** Everything there is to measure, in the text format of Prometheus. */
export function expose({ metrics, requests, traffic, refusedKeys, process, version }: Exposed): string {
  return [
    family('syncline_build_info', 'gauge', 'The version that is running; the value is always 1.', [{ labels: { version }, value: 1 }]),
    syncFamilies(metrics),
    family('syncline_queue_depth', 'gauge', 'Runs that wait to start or to be tried again.', [
      { value: metrics.runs.queued + metrics.runs.retrying },
    ]),
    family('syncline_running_runs', 'gauge', 'Runs that are under way on all nodes.', [{ value: metrics.runs.running }]),
    requestFamilies(requests),
    trafficFamilies(traffic),
    keyFamilies(refusedKeys),
    processFamilies(process),
  ].join('');
}

/** The figures of the window, for each synchronization: sums over all of them are Prometheus' own work. */
function syncFamilies({ window, syncs }: Metrics): string {
  const labelsOf = ({ sync_id, name }: SyncFigures): Labels => ({ sync_id, sync: name, window });
  const each = (pick: (figures: Figures) => number | null): MetricSample[] =>
    syncs.flatMap((sync) => {
      const value = pick(sync);
      return value === null ? [] : [{ labels: labelsOf(sync), value }];
    });
  const split = (label: string, pick: (figures: Figures) => Readonly<Record<string, number | null>>): MetricSample[] =>
    syncs.flatMap((sync) =>
      Object.entries(pick(sync)).flatMap(([name, value]) =>
        value === null ? [] : [{ labels: { ...labelsOf(sync), [label]: name }, value }],
      ),
    );
  /** It is of this moment, whatever the window. */
  const ofLive = (what: 'lag_seconds' | 'retained_bytes'): MetricSample[] =>
    syncs.flatMap(({ sync_id, name, live, [what]: value }) => (live && value !== null ? [{ labels: { sync_id, sync: name }, value }] : []));
  const gauge = (name: string, help: string, samples: readonly MetricSample[]): string =>
    family(`syncline_${name}`, 'gauge', help, samples);
  const seconds = ({ duration_ms: { p50, p95, max } }: Figures) => ({ '0.5': inSeconds(p50), '0.95': inSeconds(p95), '1': inSeconds(max) });
  return [
    gauge(
      'sync_runs',
      'Runs that ended within the window, by status; queued, running, retrying and needs_approval are those of this moment.',
      split('status', ({ runs }) => Object.fromEntries([...ENDED, ...UNDER_WAY].map((status) => [status, runs[status]]))),
    ),
    gauge(
      'sync_rows',
      'Rows of the runs that ended within the window, by what became of them.',
      split('kind', ({ rows }) => ({ ...rows })),
    ),
    gauge(
      'sync_bytes',
      'Bytes read by the runs that ended within the window.',
      each(({ bytes }) => bytes),
    ),
    gauge(
      'sync_rows_per_second',
      'Rows read for each second at work.',
      each(({ throughput }) => throughput.rows_per_second),
    ),
    gauge(
      'sync_bytes_per_second',
      'Bytes read for each second at work.',
      each(({ throughput }) => throughput.bytes_per_second),
    ),
    family(
      'syncline_sync_run_duration_seconds',
      'summary',
      'How long runs of the window took: the median, the 95th percentile and the longest.',
      split('quantile', seconds),
    ),
    gauge(
      'sync_lag_seconds',
      'Seconds since the last successful run of an active synchronization began.',
      each(({ lag_seconds }) => lag_seconds),
    ),
    gauge('lag_seconds', 'How far live synchronizations are behind their sources, in seconds.', ofLive('lag_seconds')),
    gauge('retained_bytes', 'What the sources of live synchronizations keep of their logs for them, in bytes.', ofLive('retained_bytes')),
    gauge(
      'sync_success_ratio',
      'The part of runs that ended as succeeded or partial; the others failed.',
      each(({ success_rate }) => success_rate),
    ),
  ].join('');
}

function inSeconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}

function requestFamilies(requests: RequestTally): string {
  const used = requests.used();
  const labelsOf = ({ method, path }: { method: string; path: string }): Labels => ({ method, route: path });
  return [
    family(
      'syncline_http_requests_total',
      'counter',
      'Requests that this node has answered; the route is empty for those that came to none, or were refused before.',
      used.flatMap((tally) =>
        [...tally.byStatus].map(([status, value]) => ({ labels: { ...labelsOf(tally), status: String(status) }, value })),
      ),
    ),
    histogram(
      'syncline_http_request_duration_seconds',
      'From the arrival of a request to the end of its answer.',
      DURATION_BOUNDS.map((bound) => bound / 1000),
      used.map((tally) => ({ labels: labelsOf(tally), counts: tally.durations, sum: tally.total / 1000 })),
    ),
  ].join('');
}

function trafficFamilies({ connections, supplies, dropped, certificateEnds }: Traffic): string {
  const gauge = (name: string, help: string, value: number): string => family(`syncline_${name}`, 'gauge', help, [{ value }]);
  return [
    gauge('http_connections', 'Connections that are open.', connections),
    gauge(
      'http_requests_in_flight',
      'Requests that are being worked on; those that wait for their clients are not.',
      supplies.inFlight.used,
    ),
    gauge('http_streams', 'Streams of events and logs that are open; one that brings lines counts as four.', supplies.streams.used),
    gauge('http_receiving_bytes', 'Bodies in memory that have not arrived as a whole.', supplies.receiving.used),
    gauge('http_unread_bytes', 'Large answers in memory that their clients have not read.', supplies.unread.used),
    family(
      'syncline_http_clients_dropped_total',
      'counter',
      'Clients that were cut off, by the reason: too slow with the handshake, the headers or the body, did not read, or idle when others came.',
      Array.from(dropped, ([reason, value]) => ({ labels: { reason }, value })),
    ),
    certificateEnds === undefined
      ? ''
      : gauge('tls_certificate_days_left', 'Days until the certificate ends.', (certificateEnds - Date.now()) / DAY),
  ].join('');
}

function keyFamilies({ counts, slowed }: Exposed['refusedKeys']): string {
  return [
    family(
      'syncline_keys_refused_total',
      'counter',
      'Requests to this node without a key, with something that is none, or with one that is unknown, expired or revoked.',
      Object.entries(counts).map(([kind, value]) => ({ labels: { kind }, value })),
    ),
    family('syncline_keys_slowed_total', 'counter', 'Those of them that were told to wait, after many wrong keys from one address.', [
      { value: slowed },
    ]),
  ].join('');
}

function processFamilies({ startedAt, cpuSeconds, residentBytes, heapBytes, externalBytes, loopDelay }: ProcessFigures): string {
  const lateness = loopDelay ? { '0.5': loopDelay.p50, '0.99': loopDelay.p99, '1': loopDelay.max } : {};
  return [
    family(
      'syncline_event_loop_lag_seconds',
      'summary',
      'How late the event loop of this node was since the question before this one.',
      Object.entries(lateness).map(([quantile, value]) => ({ labels: { quantile }, value })),
    ),
    family('process_resident_memory_bytes', 'gauge', 'Memory of the process that is in RAM.', [{ value: residentBytes }]),
    family('nodejs_heap_used_bytes', 'gauge', 'Memory of the main thread that JavaScript uses.', [{ value: heapBytes }]),
    family('nodejs_external_memory_bytes', 'gauge', 'Memory of the main thread outside of the heap.', [{ value: externalBytes }]),
    family('process_cpu_seconds_total', 'counter', 'Processor time of the process, in user and system mode.', [{ value: cpuSeconds }]),
    family('process_start_time_seconds', 'gauge', 'When the process started, in seconds since 1970.', [{ value: startedAt }]),
  ].join('');
}
