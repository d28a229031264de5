import { isDeepStrictEqual } from 'node:util';
import { withDefaults } from '../connectors/config-values.ts';
import { findManifest } from '../connectors/registry.ts';
import type { SourceRow } from '../datasync/sources/queries.ts';
import { MASK, replaceMembers, type Secrets } from '../datasync/sources/secret-members.ts';
import { isoTime } from '../lib/clock.ts';
import { invalidParam } from '../lib/errors.ts';
import type { JsonObject } from '../lib/exact-json.ts';
import { OutsideError } from '../outside/errors.ts';
import { differences, type FieldChange } from './differences.ts';
import type { ConfigEntry } from './document.ts';
import { effectsOfSource } from './effects.ts';
import { sourceEntry } from './entries.ts';
import { attempt, demandMayTry, idOf, isToBe, type Planning, storedOf } from './planning.ts';

/** Sources are planned first: what else is planned asks them as they are to be. */
export async function planSources(planning: Planning): Promise<void> {
  for (const row of planning.rows.sources) planning.sourceRows.set(row.id, { row, isStored: true });
  for (const [name, entry] of Object.entries(planning.document.sources ?? {})) {
    await attempt(planning, 'sources', name, async () => {
      const before = storedOf(planning, 'sources', name);
      const config = withHookId(planning, entry);
      if (before) await planChange(planning, before, String(entry['type']), config);
      else await planNew(planning, name, String(entry['type']), config);
    });
  }
}

/** A source that is a hook names it; what is stored has its id. */
function withHookId(planning: Planning, { type, config }: ConfigEntry): unknown {
  const member = findManifest(String(type))?.hookMember;
  if (member === undefined) return config;
  const given = config as JsonObject;
  return { ...given, [member]: idOf(planning, 'hooks', given[member]) };
}

async function planNew(planning: Planning, name: string, type: string, config: unknown): Promise<void> {
  if (findManifest(type)?.outlines) demandMayTry(planning.caller);
  const { source, warnings } = await planning.sources.prepare(planning.caller, { name, type, config });
  planning.warnings.push(...warnings.map((warning) => `"${name}": ${warning}`));
  const at = isoTime(source.now);
  const row: SourceRow = {
    id: source.id,
    name,
    type,
    config: source.config,
    secrets: source.secrets,
    status: 'unchecked',
    status_message: null,
    checked_at: null,
    version: 1,
    created_at: at,
    updated_at: at,
  };
  isToBe(planning, 'sources', name, row.id);
  planning.sourceRows.set(row.id, { row, isStored: false });
  planning.steps.push({ run: 'createSource', section: 'sources', name, input: source });
  const fields = differences({}, sourceEntry(row, planning.nameOf));
  planning.changes.push({ section: 'sources', name, action: 'create', fields, effects: [] });
}

async function planChange(planning: Planning, before: SourceRow, type: string, config: unknown): Promise<void> {
  const { name } = before;
  if (type !== before.type) throw invalidParam('type', `cannot be changed; "${name}" is ${before.type}. Give the new one another name`);
  const schema = findManifest(type)?.config ?? {};
  const whole = openedOf(planning, before);
  const given = whole === undefined ? config : unmasked(schema, config, secretsIn(schema, whole));
  if (whole !== undefined && isDeepStrictEqual(withDefaults(schema, whole), withDefaults(schema, given))) return;
  if (findManifest(type)?.outlines) demandMayTry(planning.caller);
  const input = await planning.sources.prepareUpdate(planning.caller, before, { config: given });
  const row: SourceRow = { ...before, config: input.config, secrets: input.secrets, version: before.version + 1 };
  planning.sourceRows.set(row.id, { row, isStored: false });
  planning.steps.push({ run: 'updateSource', section: 'sources', name, input });
  const fields = [
    ...differences(sourceEntry(before, planning.nameOf), sourceEntry(row, planning.nameOf)),
    ...secretChanges(secretsIn(schema, whole ?? {}), secretsIn(schema, given)),
  ];
  planning.changes.push({
    section: 'sources',
    name,
    action: 'update',
    fields,
    effects: effectsOfSource(before, row.config, planning.rows.syncs),
  });
}

/** Undefined when its secrets cannot be read: then they are given anew. */
function openedOf({ sources }: Planning, row: SourceRow): unknown {
  try {
    return sources.configOf(row);
  } catch (error) {
    if (error instanceof OutsideError) return undefined;
    throw error;
  }
}

type Schema = NonNullable<ReturnType<typeof findManifest>>['config'];

function secretsIn(schema: Schema, config: unknown): Secrets {
  const secrets: Record<string, string> = {};
  replaceMembers(schema, config, (secret, place) => (secrets[place] = secret));
  return secrets;
}

function unmasked(schema: Schema, config: unknown, known: Secrets): unknown {
  return replaceMembers(schema, config, (secret, place) => (secret === MASK ? (known[place] ?? secret) : secret));
}

/** That secrets are others, and never what they are. */
function secretChanges(before: Secrets, after: Secrets): FieldChange[] {
  return Object.keys(after)
    .filter((place) => Object.hasOwn(before, place) && before[place] !== after[place])
    .map((place) => ({ field: `config.${place}`, before: MASK, after: 'another secret' }));
}
