import type { Body, Caller } from '../real-syncs.ts';

/** What a service answers, by the path it was asked at. */
export type Answers = Record<string, Body>;

const ALL = 'limit=1000';
const AUDIT = `/audit?${ALL}`;
const KEYS = `/keys?${ALL}`;
const SYNCS = `/datasync/sync?status=all&${ALL}`;
const RUNS = `/datasync/runs?${ALL}`;
/** What happened at one place, and stays there when the rest moves elsewhere by a backup. */
const LOGS = `/datasync/logs?${ALL}`;

/** Everything that can be read over the API of what it keeps. */
export async function readAnswers(service: Caller): Promise<Answers> {
  const orders = `/orders?expand=all&${ALL}`;
  const lists = [
    orders,
    `/products?${ALL}`,
    `/customers?${ALL}`,
    `/erasures?${ALL}`,
    `/products/tracked/stock?${ALL}`,
    `/events?${ALL}`,
    KEYS,
    `/datasync/sources?${ALL}`,
    SYNCS,
    RUNS,
    LOGS,
    `/alerts?${ALL}`,
    `/incidents?status=all&${ALL}`,
  ];
  const answers: Answers = {};
  for (const path of lists) answers[path] = await answerOf(service, path);
  for (const { id } of answers[SYNCS].data) {
    const path = `/datasync/sync/${id}/rejects?status=all&${ALL}`;
    answers[path] = await answerOf(service, path);
    const versions = `/datasync/sync/${id}/versions`;
    answers[versions] = await answerOf(service, versions);
  }
  // Last: reading the others is told there.
  answers[AUDIT] = await answerOf(service, AUDIT);
  return answers;
}

async function answerOf(service: Caller, path: string): Promise<Body> {
  const { status, body, text } = await service.call('GET', `/api/v1${path}`);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  // The stock of a product comes with its ledger, which is the list.
  if ((body.data.movements ?? body.data).length !== body.total) throw new Error(`${path} has more than a page: ${body.total}`);
  return body;
}

/** The same questions again. Of what goes on by itself, only what was there then. */
export async function askAgain(
  service: Caller,
  expected: Answers,
  leaveOut: readonly string[] = [],
): Promise<{ expected: Answers; actual: Answers }> {
  const paths = Object.keys(expected).filter((path) => !leaveOut.includes(path));
  const actual: Answers = {};
  for (const path of paths) actual[path] = await answerOf(service, path);
  const then = new Set(expected[AUDIT].data.map(({ id }: Body) => id));
  actual[AUDIT] = { ...actual[AUDIT], data: actual[AUDIT].data.filter(({ id }: Body) => then.has(id)) };
  return { expected: lasting(expected, paths), actual: lasting(actual, paths) };
}

export const NOT_IN_BACKUPS = [LOGS];

/** Without what depends on the moment at which it is asked. */
function lasting(answers: Answers, paths: readonly string[]): Answers {
  const chosen = Object.fromEntries(paths.map((path) => [path, answers[path]]));
  const { total: _, ...audit } = answers[AUDIT];
  return {
    ...chosen,
    [AUDIT]: audit,
    [KEYS]: { ...answers[KEYS], data: answers[KEYS].data.map(unused) },
    [SYNCS]: { ...answers[SYNCS], data: answers[SYNCS].data.map(withoutLateness) },
    [RUNS]: { ...answers[RUNS], data: answers[RUNS].data.map(startedByNobodyKnown) },
  };
}

/** The admin key is used by who asks. */
function unused({ last_used_at, ...key }: Body): Body {
  return key.scopes.includes('admin') ? key : { ...key, last_used_at };
}

/** What later versions say besides, of what was saved before there was such a thing. */
const ADDED: Readonly<Record<string, unknown>> = {
  expect_every: null,
  lag: null,
  retained: null,
  on_gap: 'load',
  max_retained: '10 GB',
  structure: 'data',
  undo: null,
  verify: null,
  verified: null,
};

/** Of runs from before, nobody knows what started them. */
function startedByNobodyKnown(run: Body): Body {
  if (run?.triggered_by !== null) return run;
  const { triggered_by: _, ...rest } = run;
  return rest;
}

/** One that is due and does not begin is told to be late. Why it is as it is, is said anew each time, in the words of the version that says it. */
function withoutLateness(shown: Body): Body {
  const { health, health_code: _code, health_reason: _reason, ...rest } = shown;
  const known = Object.fromEntries(Object.entries(rest).filter(([name, value]) => !(name in ADDED) || value !== ADDED[name])) as Body;
  const sync = { ...known, last_run: startedByNobodyKnown(known.last_run), current_run: startedByNobodyKnown(known.current_run) };
  return sync.next_run_at === null ? { ...sync, health } : sync;
}
