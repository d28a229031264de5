import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { visible } from '../lib/check.ts';
import { JSON_OPTION } from './arguments/actions.ts';
import { readArguments } from './arguments/arguments.ts';
import { CliError } from './errors.ts';
import { createClient, type ServiceClient } from './service/client.ts';
import { amount } from './shown/amounts.ts';
import { explain, pretty, show } from './shown/output.ts';

interface RowLeft {
  target: string;
  key: Record<string, string | null>;
  reason: 'changed' | 'removed' | 'added';
}

interface Counts {
  restored: number;
  removed: number;
  left: number;
}

interface Answer {
  run: { id: string; undone?: Counts & { rows_left: RowLeft[] } };
  preview?: Counts & { streams: (Counts & { target: string; rows_left: RowLeft[] })[] };
  message: string;
}

/** It is given up after so long. */
const PATIENCE = 11 * 60_000;
/** So many rows that were left are told one by one. */
const SHOWN = 20;

const WHY: Readonly<Record<RowLeft['reason'], string>> = {
  changed: 'was changed since',
  removed: 'was removed since',
  added: 'was added again since',
};

/** Undoes a run, or shows what that would do. */
export async function undo(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { preview: { type: 'boolean' }, ...JSON_OPTION }, ['id of the run']);
  const path = `/api/v1/datasync/runs/${encodeURIComponent(positionals[0] ?? '')}/undo`;
  const client = createClient(config);
  const preview = values.preview === true;
  const ask = async (): Promise<Answer> => (await client.call<{ data: Answer }>('POST', path, { preview })).data;
  let data = await ask();
  if (!preview && !data.run.undone) {
    explain(data.message);
    await doneAfterAll(client, data.run.id);
    // One that is done is answered as it was.
    data = await ask();
  }
  if (values.json) show(pretty(data));
  else tell(data);
  return 0;
}

/** What takes long goes on after the answer. */
async function doneAfterAll(client: ServiceClient, id: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(1000)) {
    const { data } = await client.call<{ data: Answer['run'] }>('GET', `/api/v1/datasync/runs/${id}`);
    if (data.undone) return;
  }
  throw new CliError(`The run ${id} is not undone yet. \`syncline logs --run ${id}\` tells why, if it could not be.`);
}

function tell({ run, preview, message }: Answer): void {
  for (const { target, restored, removed, left } of preview?.streams ?? [])
    explain(
      `${visible(target)}: ${amount(restored, 'row')} to restore, ${amount(removed, 'row')} to remove, ${amount(left, 'row')} to leave.`,
    );
  const rows = preview ? preview.streams.flatMap(({ rows_left }) => rows_left) : (run.undone?.rows_left ?? []);
  for (const { target, key, reason } of rows.slice(0, SHOWN))
    explain(`Left: ${visible(target)} ${visible(JSON.stringify(key))} ${WHY[reason]}.`);
  if (rows.length > SHOWN) explain(`… and ${amount(rows.length - SHOWN, 'more row')}; --json lists them.`);
  explain(message);
}
