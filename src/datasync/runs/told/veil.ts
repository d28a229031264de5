import type { RunError, StreamReport } from '../../../engine/run.ts';
import { hiddenRows } from '../../access/marks.ts';
import type { Asking } from '../../access/rules.ts';
import { reportsOf, type RunRow, type UndoneRun } from '../rows/run-row.ts';

/** These are told in numbers and addresses alone. What any other says may quote a row: an API repeats what it was sent. */
const WITHOUT_ROWS: ReadonlySet<string> = new Set([
  'SOURCE_EMPTY',
  'TOO_MANY_DELETES',
  'SKIPPED',
  'CRASHED',
  'HOST_UNKNOWN',
  'DNS_FAILED',
  'PORT_CLOSED',
  'TIMEOUT',
  'CONNECTION_LOST',
  'ADDRESS_REFUSED',
]);

/** Whether what an error of this code says may quote rows. */
export function mayQuote(code: string): boolean {
  return !WITHOUT_ROWS.has(code);
}

/** A run as the caller may see it: how it went and how many rows there were, and what they were only with the scopes of the shop. */
export function runFor<Row extends Pick<RunRow, 'report' | 'error' | 'shop'> & Partial<Pick<RunRow, 'undone'>>>(
  asking: Asking,
  row: Row,
): Row {
  const hidden = hiddenRows(asking, row.shop);
  if (hidden.length === 0) return row;
  const needed = hidden.map((rows) => `${rows}:read`).join(' and ');
  const reports = reportsOf(row).map((report) => veiledReport(report, needed));
  const error = row.error === null ? null : JSON.stringify(veiledError(JSON.parse(row.error) as RunError, needed));
  // A key is of a row.
  const undone = row.undone && JSON.stringify({ ...(JSON.parse(row.undone) as UndoneRun), rows_left: [] });
  return { ...row, report: JSON.stringify(reports), error, ...(undone && { undone }) };
}

/** A position holds the key of a row. */
function veiledReport({ changes, proof, ...report }: StreamReport, needed: string): StreamReport {
  const veiled = {
    ...report,
    checkpoint: null,
    error: report.error && veiledError(report.error, needed),
    ...(proof && { proof: { ...proof, position: null, samples: [] } }),
  };
  if (!changes) return veiled;
  const { samples: _, ...counts } = changes;
  return { ...veiled, changes: counts };
}

function veiledError(error: RunError, needed: string): RunError {
  if (!mayQuote(error.code)) return error;
  return {
    ...error,
    message: `It failed with ${error.code}. What was said may quote rows of the shop.`,
    hint: `Read it with a key that has ${needed}.`,
  };
}
