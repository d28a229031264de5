import { amount } from '../shown/amounts.ts';
import { pretty } from '../shown/output.ts';
import { table } from '../shown/table.ts';
import type { KitFindings, SyncFindings } from './findings.ts';
import { isEqual } from './plain-comparison.ts';

const HEADINGS = [
  'MODE',
  'ROWS',
  'RUNS',
  'TAKEN UP AGAIN',
  'VERIFY',
  'COMPARED PLAINLY',
  'PLANTED',
  'FOUND',
  'REPAIRED',
  'DIGEST',
] as const;
/** Enough of a digest to tell two apart by eye. */
const SHOWN_DIGEST = 16;

/** The forms of a report, by how the name of its file ends. */
export const REPORT_FORMS: Readonly<Record<string, (findings: KitFindings) => string>> = {
  '.md': asMarkdown,
  '.json': pretty,
  '.txt': asText,
};

/** The report for the terminal. */
export function asText(findings: KitFindings): string {
  const facts = factsOf(findings);
  const width = Math.max(...facts.map(([name]) => name.length));
  return `Syncline: a proof

${facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('')}
${table(HEADINGS, findings.syncs.map(cellsOf))}
${checkedWords(findings)
  .map((line) => `- ${line}\n`)
  .join('')}
${verdictOf(findings)}
`;
}

function asMarkdown(findings: KitFindings): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `# Syncline: a proof

**${verdictOf(findings)}**

${line(['', ''])}${line(['---', '---'])}${factsOf(findings).map(line).join('')}
${line(HEADINGS.map((heading) => heading[0] + heading.slice(1).toLowerCase()))}${line(HEADINGS.map(() => '---'))}${findings.syncs
  .map((sync) => line(cellsOf(sync)))
  .join('')}
${checkedWords(findings)
  .map((words) => `- ${words}\n`)
  .join('')}`;
}

function factsOf(findings: KitFindings): [name: string, value: string][] {
  const { changes, kills, kills_at_start, live_verifies: live, left_out } = findings;
  const made = Object.entries(changes).map(([kind, count]) => `${count.toLocaleString('en')} × ${kind}`);
  const isLive = live.equal + live.changing + live.differs > 0;
  return [
    ['Version', `Syncline ${findings.syncline}, Node ${findings.node}`],
    ['Source', findings.source],
    ['Target', findings.target],
    ['Time', `${findings.started_at}, ${findings.seconds} s in all`],
    ['Seed', `${findings.seed} (makes the same choices again, but for the instant at which a process dies)`],
    ['Source changed', `${amount(findings.transactions, 'transaction')} on ${amount(findings.rows, 'row')} a table: ${made.join(', ')}`],
    ['Service killed', `${amount(kills, 'time')} by SIGKILL${kills_at_start > 0 ? `, ${kills_at_start} of them while it started` : ''}`],
    ...(isLive
      ? [
          [
            'Verified live',
            `${amount(live.equal + live.changing + live.differs, 'time')} while the source changed: ${live.equal} equal, ${live.changing} changing, ${live.differs} false differences`,
          ] as [string, string],
        ]
      : []),
    ...left_out.map(({ mode, why }): [string, string] => ['Left out', `${mode}: ${why}`]),
  ];
}

function cellsOf({ mode, verify, plain, runs, retried, planted, found, repaired }: SyncFindings): string[] {
  const three = ({ missing, different, extra }: SyncFindings['planted']): string => `${missing}+${different}+${extra}`;
  return [
    mode,
    verify.rows.toLocaleString('en'),
    runs.toLocaleString('en'),
    retried.toLocaleString('en'),
    verify.result,
    isEqual(plain) ? `equal${plain.kept > 0 ? `, ${plain.kept.toLocaleString('en')} kept` : ''}` : 'DIFFERS',
    three(planted),
    three(found),
    repaired.result === 'equal' && isEqual(repaired.plain) ? 'equal' : 'DIFFERS',
    verify.digest.slice(0, SHOWN_DIGEST),
  ];
}

function checkedWords({ syncs }: KitFindings): string[] {
  return [
    '"verify" is what Syncline says when it compares both ends; "compared plainly" is a comparison that shares nothing with it: all rows read by other drivers, and compared in memory.',
    '"planted" are rows that were then taken away, changed by hand and added at the target (missing + different + extra), "found" what verify said of them, "repaired" how both ends were after a repair.',
    'What the runs told of inserted and deleted rows was added up, over all kills, and is what the target has (but for the mode cdc, where it is not asked).',
    ...(syncs.some(({ plain }) => plain.kept > 0)
      ? ['"kept" are rows that the source has deleted since: the mode incremental leaves them at the target.']
      : []),
  ];
}

function verdictOf({ proven, faults, syncs, kills }: KitFindings): string {
  if (proven) return `Proven: after ${amount(kills, 'kill')} the target is the source in ${amount(syncs.length, 'synchronization')}.`;
  return `NOT PROVEN:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`;
}
