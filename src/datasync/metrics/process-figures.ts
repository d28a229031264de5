import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How this process is doing at the moment. */
export interface ProcessFigures {
  startedAt: number;
  cpuSeconds: number;
  residentBytes: number;
  heapBytes: number;
  externalBytes: number;
  /** How late the event loop was, in seconds, since the last request; undefined at the first one. */
  loopDelay: { p50: number; p99: number; max: number } | undefined;
}

const RESOLUTION = 20;

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

/** Watches the event loop from the first request on: without one, it costs nothing. */
export function createProcessFigures(): { read(): ProcessFigures; close(): void } {
  let delay: LoopDelay | undefined;
  return {
    read: () => {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const loopDelay = delay && lateness(delay);
      delay?.reset();
      if (!delay) {
        delay = monitorEventLoopDelay({ resolution: RESOLUTION });
        delay.enable();
      }
      return {
        startedAt: (Date.now() - process.uptime() * 1000) / 1000,
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapBytes: heapUsed,
        externalBytes: external,
        loopDelay,
      };
    },
    close: () => delay?.disable(),
  };
}

/** The histogram holds the time between two ticks of a timer; what is more than its period is delay. */
function lateness(delay: LoopDelay) {
  const seconds = (nanoseconds: number): number => Math.max(0, (nanoseconds - RESOLUTION * 1e6) / 1e9) || 0;
  return { p50: seconds(delay.percentile(50)), p99: seconds(delay.percentile(99)), max: seconds(delay.max) };
}
