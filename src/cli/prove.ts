import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CliError, UsageError } from './errors.ts';
import type { KitFindings } from './prove/findings.ts';
import type { KitEnd } from './prove/kit-end.ts';
import { makeEnd } from './prove/kit-ends.ts';
import { Proving } from './prove/proving.ts';
import { asText, REPORT_FORMS } from './prove/report.ts';
import { explain, pretty, show } from './shown/output.ts';

const MOST_ROWS = 200_000;
const INTERRUPTED = 130;

const OPTIONS = {
  source: { type: 'string' },
  target: { type: 'string' },
  rows: { type: 'string', default: '2000' },
  kills: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '30' },
  seed: { type: 'string' },
  report: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Proves to the user, on databases of their choice, that nothing is lost however often the service is killed. */
export async function prove(args: string[]): Promise<number> {
  const { values } = readArguments(args, OPTIONS);
  const [rows, kills, seconds] = [
    wholeNumber('rows', values.rows, 10, MOST_ROWS),
    wholeNumber('kills', values.kills, 0, 10_000),
    wholeNumber('seconds', values.seconds, 1, 86_400),
  ];
  const report = values.report === undefined ? undefined : demandReport(values.report);
  const seed = values.seed ?? String(Date.now() % 1_000_000);
  const interrupted = interruption();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-prove-'));
  const ends: KitEnd[] = [];
  let proving: Proving | undefined;
  try {
    const source = await makeEnd({ address: values.source, role: 'source', folder });
    ends.push(source);
    const target = await makeEnd({ address: values.target, role: 'target', folder });
    ends.push(target);
    explain(`From ${source.title}\nto ${target.title}. All of it is removed in the end.`);
    const dataDir = join(folder, 'data');
    proving = new Proving({ source, target, dataDir, folder, seed, rows, kills, seconds, signal: interrupted.signal, tell: explain });
    const findings = await proving.prove();
    tell(findings, values.json === true, report);
    return findings.proven ? 0 : 1;
  } catch (error) {
    if (interrupted.signal.aborted) {
      explain('Interrupted: nothing is proven.');
      return INTERRUPTED;
    }
    if (error instanceof CliError) throw error;
    throw new CliError(`Not proven (seed ${seed}): ${(error as Error).message}`);
  } finally {
    await proving?.close();
    await removeAll(ends);
    // What the service had started ends a moment after it.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    interrupted.over();
  }
}

/** Closing the terminal ends it too. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal ends the work in order; while what was made is removed, others are not heard. */
function interruption(): { signal: AbortSignal; over(): void } {
  const enough = new AbortController();
  const end = (): void => enough.abort();
  for (const name of SIGNALS) process.on(name, end);
  // Nobody may be left to read how far it is: that is no reason to leave databases behind.
  process.stderr.on('error', () => {});
  return {
    signal: enough.signal,
    over: () => {
      for (const name of SIGNALS) process.off(name, end);
    },
  };
}

function demandReport(file: string): string {
  if (!Object.hasOwn(REPORT_FORMS, extname(file)))
    throw new UsageError(`--report must be a file that ends with ${Object.keys(REPORT_FORMS).join(', ')}.`);
  if (existsSync(file)) throw new UsageError(`${file} is there already. Name another file for the report, or remove it.`);
  return file;
}

function tell(findings: KitFindings, isJson: boolean, report: string | undefined): void {
  show(isJson ? pretty(findings) : asText(findings));
  if (report === undefined) return;
  writeFileSync(report, REPORT_FORMS[extname(report)]?.(findings) ?? '');
  explain(`The report is in ${report}.`);
}

async function removeAll(ends: readonly KitEnd[]): Promise<void> {
  for (const end of ends)
    await end.remove().catch((error: unknown) => explain(`${end.title} could not be removed: ${(error as Error).message}`));
}
