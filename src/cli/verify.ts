import type { Config } from '../config.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { createClient, type ServiceClient } from './service/client.ts';
import { UsageError } from './errors.ts';
import { findOne, SYNCS } from './service/find.ts';
import { followRun, type Proof, type WatchedRun } from './run.ts';
import { showList } from './shown/output.ts';
import { grouped } from './shown/progress-bars.ts';

/** What the exit code tells a script. */
const EXIT_CODES = { equal: 0, differs: 5, changing: 6 } as const;
const NEEDS_APPROVAL = 4;
/** So many of those before are shown. */
const SHOWN = 50;

type PastProof = WatchedRun & { created_at: string; finished_at: string | null };

/** Compares both ends of a synchronization and shows what differs; with `--repair`, writes it. */
export async function verify(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(
    args,
    {
      history: { type: 'boolean' },
      repair: { type: 'boolean' },
      'repair-preview': { type: 'boolean' },
      stream: { type: 'string', multiple: true },
      ...JSON_OPTION,
    },
    ['id or name of the synchronization'],
  );
  if (values.repair && values['repair-preview']) throw new UsageError('--repair and --repair-preview exclude each other.');
  if (values.history && (values.repair || values['repair-preview'] || values.stream))
    throw new UsageError('--history goes with --json alone: it shows what was found before.');
  const client = createClient(config);
  const sync = await findOne<{ id: string; name: string }>(client, SYNCS, positionals[0] ?? '');
  if (values.history) return showHistory(client, sync.id, values.json === true);
  const mode = values.repair ? 'repair' : values['repair-preview'] ? 'repair_preview' : 'verify';
  const { data } = await client.call<{ data: WatchedRun }>('POST', `/api/v1/datasync/sync/${sync.id}/runs`, {
    mode,
    ...(values.stream && { streams: values.stream }),
  });
  return exitCodeOf(await followRun(client, data, values.json === true));
}

/** What was found whenever both ends were compared, newest first. */
async function showHistory(client: ServiceClient, syncId: string, json: boolean): Promise<number> {
  const path = `/api/v1/datasync/sync/${syncId}/runs?proofs=true&limit=${SHOWN}`;
  const { data } = await client.call<{ data: PastProof[] }>('GET', path);
  showList({
    json,
    found: data,
    headings: ['AT', 'MODE', 'RESULT', 'ROWS', 'MISSING', 'EXTRA', 'DIFFERENT', 'DIGEST', 'RUN'],
    rows: data.map(historyRow),
    empty: `Nothing has been compared yet. \`syncline verify ${syncId}\` does so.`,
  });
  return 0;
}

function historyRow({ id, mode, status, created_at, finished_at, streams }: PastProof): string[] {
  const proofs = streams.flatMap(({ proof }) => proof ?? []);
  const sum = (name: 'rows' | 'missing' | 'extra' | 'different'): string => grouped(proofs.reduce((all, proof) => all + proof[name], 0));
  const isWhole = proofs.length === streams.length && proofs.length > 0;
  const found = worstOf(proofs) ?? 'equal';
  return [
    finished_at ?? created_at,
    mode,
    isWhole ? found : status,
    ...(isWhole ? [sum('rows'), sum('missing'), sum('extra'), sum('different')] : ['', '', '', '']),
    // Of several streams each has its own.
    proofs.length === 1 ? (proofs[0]?.digest.slice(0, 16) ?? '') : '',
    id,
  ];
}

function worstOf(proofs: readonly Proof[]): 'differs' | 'changing' | undefined {
  const results = new Set(proofs.map(({ result }) => result));
  return (['differs', 'changing'] as const).find((result) => results.has(result));
}

/** The worst of the streams. One that was not compared is not equal. */
function exitCodeOf({ status, streams }: WatchedRun): number {
  if (status === 'needs_approval') return NEEDS_APPROVAL;
  const proofs = streams.flatMap(({ proof }) => proof ?? []);
  if ((status !== 'succeeded' && status !== 'partial') || proofs.length < streams.length) return 1;
  return EXIT_CODES[worstOf(proofs) ?? 'equal'];
}
