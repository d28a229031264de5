import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** One JSON line an entry on standard error; standard output belongs to what a person asked for. */
export function createLog(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ dest: 2, sync: true }),
  );
}
