import type { HookRow } from '../datasync/hooks/queries.ts';
import type { ChangedHook, NewHook } from '../datasync/hooks/schemas.ts';
import { MASK } from '../datasync/sources/secret-members.ts';
import { invalidParam } from '../lib/errors.ts';
import { differences } from './differences.ts';
import type { ConfigEntry } from './document.ts';
import { hookEntry } from './entries.ts';
import { attempt, idOf, isToBe, type Planning, storedOf } from './planning.ts';

// A hook starts a synchronization, which may read from a source that is this hook. So new ones are made first, and what they start is said last.

export async function planNewHooks(planning: Planning): Promise<void> {
  for (const [name, entry] of Object.entries(planning.document.hooks ?? {})) {
    if (storedOf(planning, 'hooks', name)) continue;
    await attempt(planning, 'hooks', name, () => {
      const { sync: _sync, ...form } = entry;
      const {
        input: hook,
        token,
        secret,
      } = planning.hooks.prepare(planning.caller, { ...(withoutNulls(form) as Omit<NewHook, 'name'>), name });
      isToBe(planning, 'hooks', name, hook.id);
      planning.steps.push({ run: 'createHook', section: 'hooks', name, input: hook });
      planning.made.push({ section: 'hooks', name, secret, token });
      const fields = differences({}, { ...withoutNulls(entry), ...(entry['secret'] != null && { secret: MASK }) });
      planning.changes.push({
        section: 'hooks',
        name,
        action: 'create',
        fields,
        effects: ['It gets an address of its own, which is shown once.'],
      });
    });
  }
}

export async function planHooks(planning: Planning): Promise<void> {
  for (const [name, entry] of Object.entries(planning.document.hooks ?? {})) {
    await attempt(planning, 'hooks', name, () => {
      const before = storedOf(planning, 'hooks', name);
      const syncId = entry['sync'] == null ? null : idOf(planning, 'syncs', entry['sync']);
      // What is wrong with the synchronization is told there.
      if (syncId === '') return;
      if (before) planChange(planning, before, entry, syncId);
      else if (syncId !== null) planStart(planning, name, syncId);
    });
  }
}

/** What a hook that is made in the same transaction starts. */
function planStart(planning: Planning, name: string, syncId: string): void {
  const made = planning.steps.find((step) => step.run === 'createHook' && step.name === name);
  if (!made) return;
  const { tokenHash: _hash, ...hook } = made.input as { tokenHash: string };
  planning.steps.push({ run: 'updateHook', section: 'hooks', name, input: { ...hook, syncId, version: 1, fields: ['sync_id'] } });
}

function planChange(planning: Planning, before: HookRow, entry: ConfigEntry, syncId: string | null): void {
  const { name } = before;
  const secret = entry['secret'] as string | undefined;
  const isOtherSecret = secret != null && secret !== MASK && secret !== planning.hooks.secretOf(before);
  const was = hookEntry(before, planning.nameOf);
  const scheme = String(entry['scheme']);
  const is = { ...was, scheme, header: entry['header'] ?? null, sync: entry['sync'] ?? null };
  const fields = [...differences(was, is), ...(isOtherSecret ? [{ field: 'secret', before: MASK, after: 'another secret' }] : [])];
  if (fields.length === 0) return;
  if (scheme !== before.scheme && secret == null && was['secret'] !== null)
    throw invalidParam('secret', 'is mandatory with another scheme');
  const change: ChangedHook = {
    ...(scheme !== before.scheme && { scheme: scheme as NonNullable<ChangedHook['scheme']> }),
    ...(isOtherSecret && { secret }),
    ...(entry['header'] != null && { header: entry['header'] as string }),
    ...(syncId !== before.sync_id && { sync_id: syncId }),
  };
  planning.steps.push({ run: 'updateHook', section: 'hooks', name, input: planning.hooks.prepareUpdate(planning.caller, before, change) });
  planning.changes.push({ section: 'hooks', name, action: 'update', fields, effects: [] });
}

function withoutNulls(entry: ConfigEntry): ConfigEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
