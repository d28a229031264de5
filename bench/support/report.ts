import { cpus, release, totalmem } from 'node:os';
import { median, type Pair } from './statistics.ts';

export interface Target {
  atLeast?: number;
  atMost?: number;
}

/** One figure of the report. */
interface Line {
  what: string;
  ours: string;
  reference: string;
  ratio: string;
  target: string;
  verdict: string;
}

const lines: Line[] = [];

/** Ours against a reference: the medians, how far the rounds lie apart, and the ratio. Without a target for information. */
export function compare(what: string, unit: string, pair: Pair<number>, target: Target = {}): void {
  const ratio = median(pair.ours) / median(pair.reference);
  add({
    what,
    ours: figure(pair.ours, unit),
    reference: figure(pair.reference, unit),
    ratio: ratio.toFixed(2),
    target: wanted(target),
    verdict: verdict(ratio, target),
  });
}

/** A figure of ours that has to stay below a number, not below another program's figure. */
export function limit(what: string, unit: string, ours: readonly number[], atMost: number): void {
  measure(what, unit, ours, { atMost });
}

/** A figure of ours that stands for itself. Without a target for information. */
export function measure(what: string, unit: string, ours: readonly number[], target: Target = {}): void {
  const hasTarget = target.atLeast !== undefined || target.atMost !== undefined;
  add({
    what,
    ours: figure(ours, unit),
    reference: '–',
    ratio: '–',
    target: hasTarget ? `${wanted(target)} ${unit}` : '–',
    verdict: verdict(median(ours), target),
  });
}

function add(line: Line): void {
  lines.push(line);
  const against = line.reference === '–' ? '' : ` | reference ${line.reference} | ratio ${line.ratio}`;
  console.log(`  ${line.what}: ours ${line.ours}${against}${line.target === '–' ? '' : ` | target ${line.target} | ${line.verdict}`}`);
}

function wanted({ atLeast, atMost }: Target): string {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '–' : `≤ ${atMost}`;
}

function verdict(value: number, { atLeast, atMost }: Target): string {
  if (atLeast === undefined && atMost === undefined) return 'for information';
  return value >= (atLeast ?? value) && value <= (atMost ?? value) ? 'reached' : '**MISSED**';
}

function figure(values: readonly number[], unit: string): string {
  const spread = values.length > 1 ? ` (${round(Math.min(...values))}–${round(Math.max(...values))})` : '';
  return `${round(median(values))} ${unit}${spread}`;
}

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : value < 10 ? 2 : value < 1000 ? 1 : 0 });
}

/** The whole report as Markdown. */
export function table(command: string, client?: string): string {
  const names = ['what', 'ours', 'reference', 'ratio', 'target', ''];
  const rows = lines.map((line) => [line.what, line.ours, line.reference, line.ratio, line.target, line.verdict]);
  const flags = process.argv.slice(2);
  return [
    machine(),
    '',
    `Command: \`npm run ${command}${flags.length > 0 ? ` -- ${flags.join(' ')}` : ''}\`.${client ? ` Client: ${client}.` : ''}`,
    '',
    ...[names, names.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

export function missed(): number {
  return lines.filter((line) => line.verdict.includes('MISSED')).length;
}

function machine(): string {
  const cores = cpus();
  return `Machine: ${cores.length} × ${cores[0]?.model ?? 'unknown'} (${process.arch}), ${Math.round(totalmem() / 2 ** 30)} GiB RAM, Node ${process.version}, ${process.platform} ${release()}.`;
}
