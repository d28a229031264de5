import { createAlert, deleteAlert, updateAlert } from '../alerts/commands.ts';
import { recordAudit } from '../audit/record.ts';
import { type Command, command, type Connection } from '../db/database.ts';
import { list } from '../db/bulk.ts';
import { forUpdate, raw, sql } from '../db/sql.ts';
import { createHook, deleteHook, updateHook } from '../datasync/hooks/commands.ts';
import { lockStates } from '../datasync/runs/rows/sync-state.ts';
import { createSource, deleteSource } from '../datasync/sources/commands.ts';
import { createSync, deleteSync, pauseSync, resumeSync, updateSync } from '../datasync/syncs/commands.ts';
import { updateSource } from '../datasync/syncs/update-source.ts';
import type { Actor } from '../http/caller.ts';
import { changeKey, createKey, type KeyWithSecret, revokeKey } from '../keys/commands.ts';
import { AppError } from '../lib/errors.ts';
import { createWebhook, deleteWebhook, updateWebhook } from '../webhooks/commands.ts';
import { SECTIONS } from './document.ts';
import type { ConfigStep, SeenRow, StepName } from './planning.ts';
import { bringState, type SyncState } from './state.ts';

const COMMANDS: Readonly<Record<StepName, Pick<Command<never, unknown>, 'run'>>> = {
  createSource,
  updateSource,
  deleteSource,
  createSync,
  updateSync,
  pauseSync,
  resumeSync,
  deleteSync,
  bringState: { run: (tx: Connection, state: SyncState) => bringState(tx, state) },
  createHook,
  updateHook,
  deleteHook,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  createAlert,
  updateAlert,
  deleteAlert,
  createKey,
  changeKey,
  revokeKey,
};

export interface Application {
  readonly actor: Actor;
  readonly now: number;
  readonly steps: readonly ConfigStep[];
  /** What the plan was made from. */
  readonly known: readonly SeenRow[];
  readonly digest: string;
}

/** Carries out a whole plan, or nothing of it. Answers the keys that it has made, by name. */
export const applyConfiguration = command(
  import.meta.url,
  'applyConfiguration',
  async (tx, { actor, now, steps, known, digest }: Application): Promise<Record<string, string>> => {
    await demandKnown(tx, known);
    const keys: Record<string, string> = {};
    for (const { run, name, input } of steps) {
      const done = await COMMANDS[run].run(tx, input as never);
      if (done === undefined) throw changedSince(name);
      if (run === 'createKey') keys[name] = (done as KeyWithSecret).key;
    }
    const details = { digest, steps: steps.map((step) => `${step.run} ${step.name}`).slice(0, 100), count: steps.length };
    await recordAudit(tx, now, { actor, action: 'config.applied', object_id: '', details });
    return keys;
  },
);

/** Locks all that the plan was made from, in the order in which others do, and throws when something of it is another by now. */
async function demandKnown(tx: Connection, known: readonly SeenRow[]): Promise<void> {
  const syncs = known.filter(({ section }) => section === 'syncs').map(({ id }) => id);
  await lockStates(tx, list(syncs));
  for (const section of SECTIONS) {
    const rows = known.filter((row) => row.section === section);
    if (rows.length === 0) continue;
    const lock = section === 'syncs' ? raw('') : forUpdate;
    const found = await tx.all<{ id: string; version: number }>(
      sql`select id, version from ${raw(section)} where id in ${list(rows.map(({ id }) => id))} order by id ${lock}`,
    );
    const versions = new Map(found.map(({ id, version }) => [id, version]));
    for (const { id, name, version } of rows) if (versions.get(id) !== version) throw changedSince(name);
  }
}

function changedSince(name: string): AppError {
  return new AppError('CONFLICT', `"${name}" was changed while this was planned. Nothing was applied: plan again.`, {
    reason: `"${name}" was changed meanwhile`,
  });
}
