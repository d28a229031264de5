import { printable } from '../../lib/check.ts';

/** How far one stream is, as a run tells. */
export interface StreamProgress {
  name: string;
  target: string;
  status: string;
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
  rows_per_second: number;
  estimated_total: number | null;
  /** Of a preview: what would be written. */
  changes?: unknown;
  error: { message: string; hint: string | null } | null;
}

const BAR = 24;
/** Of a terminal that does not tell its width. */
const USUAL_WIDTH = 80;

/**
 * A line for each stream: its bar while it runs, what it did when it is over. `all` are the streams of the run, when only some of
 * them are to be shown.
 */
export function progressLines(streams: readonly StreamProgress[], width: number | undefined, all = streams): string[] {
  // Lines that come one after the other stand below each other.
  const labels = all.map((stream) => labelOf(stream, all));
  // Of a name that has its target behind it, the end is what counts.
  const longest = labels.some((label, at) => label !== printable(all[at]?.name ?? '')) ? 64 : 32;
  const names = Math.min(
    longest,
    labels.reduce((most, { length }) => Math.max(most, length), 0),
  );
  const most = width || USUAL_WIDTH;
  return streams.map((stream) => {
    const name = labelOf(stream, all);
    const line = `${(name.length > names ? `${name.slice(0, names - 1)}…` : name).padEnd(names)}  ${barOf(stream)}  ${wordsOf(stream)}`;
    return line.length > most ? `${line.slice(0, most - 1)}…` : line;
  });
}

/** What a stream is called: its name at the source; where that is read into several, where it goes too. */
export function labelOf({ name, target }: Pick<StreamProgress, 'name' | 'target'>, all: readonly Pick<StreamProgress, 'name'>[]): string {
  const isUnique = all.filter((other) => other.name === name).length <= 1;
  return printable(isUnique ? name : `${name} → ${target}`);
}

function barOf({ status, read, estimated_total }: StreamProgress): string {
  const isOver = status === 'succeeded' || status === 'partial';
  // Of an estimate one is never through before the end.
  const part = isOver ? 1 : estimated_total ? Math.min(0.99, read / estimated_total) : 0;
  const full = Math.floor(part * BAR);
  const percent = isOver || estimated_total ? `${String(Math.floor(part * 100)).padStart(3)} %` : '     ';
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent}`;
}

function wordsOf(stream: StreamProgress): string {
  if (stream.status === 'pending') return 'waiting';
  if (stream.status === 'running') return `${grouped(stream.read)} rows, ${grouped(stream.rows_per_second)} rows/s`;
  const counts = (['inserted', 'updated', 'deleted', 'unchanged', 'rejected'] as const)
    .filter((name) => stream[name] > 0)
    .map((name) => `${grouped(stream[name])} ${name}`);
  const isOver = stream.status === 'succeeded' || stream.status === 'partial';
  return [stream.status, counts.join(', ') || (isOver ? (stream.changes ? 'nothing written' : 'nothing to do') : '')]
    .filter(Boolean)
    .join(': ');
}

export function grouped(count: number): string {
  return count.toLocaleString('en');
}
