import type { Command, Database } from '../../db/database.ts';
import type { Caller } from '../../http/caller.ts';
import type { Principal } from '../../http/scopes.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { checkerOf } from '../../lib/check.ts';
import { demandEnforced } from '../../lib/enforced.ts';
import { AppError, type FieldError, invalidParam, invalidParams, notFound, unavailable } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { depthOf } from '../../lib/json.ts';
import type { Logger } from '../../lib/log.ts';
import { type Keyring, keyIdOf, SecretError } from '../../lib/secrets.ts';
import type { Manifest, Outline } from '../../connectors/contract.ts';
import { withDefaults } from '../../connectors/config-values.ts';
import { OutsideError } from '../../outside/errors.ts';
import { findManifest, manifests } from '../../connectors/registry.ts';
import type { PlannedStreams, StreamsToPlan } from '../../engine/plan/streams.ts';
import { shareOf } from '../access/share.ts';
import { createSource, type NewSource, recordCheck, replaceSecrets, type SourceUpdate } from './commands.ts';
import type { Answers, Question } from './probe.ts';
import { allSources, findSource, type SourceRow } from './queries.ts';
import { describingMember, refusalOf, warningsIn } from './outlined.ts';
import { joinSecrets, type Secrets, splitSecrets } from './secret-members.ts';
import type { SharedProber } from './shared-prober.ts';
import { sentences } from '../../lib/sentence.ts';

const MAX_DEPTH = 32;

export interface SourceService {
  create(caller: Caller, input: { name: string; type: string; config: unknown }): Promise<SavedSource>;
  update(caller: Caller, id: string, change: { name?: string; type?: string; config?: unknown }): Promise<SavedSource>;
  /** What `create` and `update` would write, with all checks, for a caller that writes it together with more. */
  prepare(caller: Caller, input: { name: string; type: string; config: unknown }): Promise<PreparedSource>;
  prepareUpdate(caller: Caller, row: SourceRow, change: { name?: string; config?: unknown }): Promise<SourceUpdate>;
  /** Tries a configuration that is not saved. */
  tryOut(caller: Principal, unsaved: UnsavedConfig): Promise<CheckOutcome>;
  /** What a configuration that is not saved tells by itself; null where it tells nothing. */
  outline(caller: Principal, unsaved: UnsavedConfig): Promise<Outline | null>;
  /** Some rows of a stream of a configuration that is not saved. */
  sampleOf(caller: Principal, unsaved: UnsavedConfig, stream: string, limit: number): Promise<Answers['sample']>;
  /** Tries a stored source and writes down what was found. */
  check(caller: Principal, id: string): Promise<CheckOutcome>;
  /** Asks a stored source; what its system has against it is a CONFLICT in words. */
  ask<Ask extends Question>(caller: Principal, id: string, question: Ask): Promise<Answers[Ask['ask']]>;
  /** Sources of these types will be asked soon. */
  makeReady(types: readonly string[]): Promise<void>;
  /** The same of a row, whether it is stored like this or is to be. */
  askRow<Ask extends Question>(caller: Principal, row: SourceRow, isStored: boolean, question: Ask): Promise<Answers[Ask['ask']]>;
  /** How streams between two sources are read and written, by what was found there. */
  plan(caller: Principal, streams: StreamsToPlan): Promise<PlannedStreams>;
  /** A stored source with its secrets, for a run: never to be logged, stored or shown. Throws a OutsideError when they are unreadable. */
  endOf(id: string): Promise<{ id: string; name: string; type: string; config: unknown }>;
  /** The whole configuration of a source, or of what is kept of one, with its secrets. */
  configOf(row: Pick<SourceRow, 'id' | 'name' | 'type' | 'config' | 'secrets'>): unknown;
  /** Encrypts anew whatever was encrypted with a key that is no longer the first. */
  renewSecrets(): Promise<void>;
}

interface SavedSource {
  row: SourceRow;
  /** What of it does not work, as far as its configuration tells; in words. */
  warnings: string[];
}

interface PreparedSource {
  source: NewSource;
  warnings: string[];
}

/** A configuration that is not saved; with the id of a source, its secrets stand for their masks. */
interface UnsavedConfig {
  type: string;
  config: unknown;
  id?: string;
}

interface CheckOutcome {
  ok: boolean;
  message: string;
  warnings: string[];
  live_needs: string[] | null;
  error: ReturnType<typeof failureOf> | null;
  duration_ms: number;
}

interface Options {
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  prober: SharedProber;
  /** Whether sources of types that are for tests can be made. */
  hiddenTypes: boolean;
  /** How many sources one key may have. */
  mostPerKey: number;
  /** Changes a source, with all that follows for those who use it. */
  updateSource: Command<SourceUpdate, SourceRow | undefined>;
}

export function createSourceService(options: Options): SourceService {
  const { db, clock, log, keyring, prober, hiddenTypes, mostPerKey, updateSource } = options;
  for (const { type, config } of manifests) demandEnforced(config, `Connector ${type}, configuration`);
  const stored = async (id: string): Promise<SourceRow> => {
    const row = await findSource(db.read, id);
    if (!row) throw notFound('source', id);
    return row;
  };
  const seal = (secrets: Secrets, id: string): string | null =>
    Object.keys(secrets).length === 0 ? null : keyring.encrypt(JSON.stringify(secrets), id);
  const secretsOf = (row: Pick<SourceRow, 'id' | 'name' | 'secrets'>): Secrets => {
    try {
      return row.secrets === null ? {} : (JSON.parse(keyring.decrypt(row.secrets, row.id)) as Secrets);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      throw new OutsideError('config', 'SECRET_UNREADABLE', `The secrets of "${row.name}" cannot be read: ${error.message}.`, {
        hint: 'Add that key to SYNCLINE_SECRET_KEY, or save the source again with its secrets.',
        cause: error,
      });
    }
  };
  const readableSecrets = (row: SourceRow): Secrets => {
    try {
      return secretsOf(row);
    } catch (error) {
      throw error instanceof OutsideError ? conflictOf(called(row), error) : error;
    }
  };
  const configOf: SourceService['configOf'] = (row) => joinSecrets(manifestOf(row.type).config, JSON.parse(row.config), secretsOf(row));

  const askUnsaved = async <Ask extends Question>(caller: Principal, { type, config, id }: UnsavedConfig, question: Ask) => {
    const row = id === undefined ? undefined : await stored(id);
    if (row && row.type !== type) throw invalidParam('type', `must be that of the source, ${row.type}`);
    const { shown, secrets } = checked(type, config, () => (row ? readableSecrets(row) : {}), hiddenTypes);
    // A secret that its system changes as we ask is kept only if it is the stored one.
    const isStored = row !== undefined && JSON.stringify(secrets) === JSON.stringify(readableSecrets(row));
    return prober.ask(caller, type, plainOf(type, shown, secrets), question, isStored ? id : undefined);
  };
  /** Throws when nothing could ever be read by this configuration, as far as it tells by itself; answers what else does not work. */
  const demandUsable = async (caller: Principal, type: string, shown: unknown, secrets: Secrets): Promise<string[]> => {
    if (findManifest(type)?.outlines !== true) return [];
    try {
      return warningsIn(type, await prober.ask(caller, type, plainOf(type, shown, secrets), { ask: 'outline' }));
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      // What is wrong elsewhere, such as with a file, may be right by the time that it is used.
      if (error.code === 'BUSY' || error.field === describingMember(type)) throw refusalOf(error);
      return [];
    }
  };

  const prepare: SourceService['prepare'] = async (caller, { name, type, config }) => {
    const { id, time } = newId('src', clock());
    const { shown, secrets } = checked(type, config, () => ({}), hiddenTypes);
    const warnings = await demandUsable(caller, type, shown, secrets);
    const by = { actor: caller.actor(), share: shareOf(caller.id, caller), most: mostPerKey, now: time };
    return { source: { ...by, id, name, type, config: JSON.stringify(shown), secrets: seal(secrets, id) }, warnings };
  };
  const prepareUpdate = async (caller: Caller, row: SourceRow, change: { name?: string; config?: unknown }) => {
    const next = change.config === undefined ? undefined : checked(row.type, change.config, () => readableSecrets(row));
    const warnings = next ? await demandUsable(caller, row.type, next.shown, next.secrets) : [];
    const update: SourceUpdate = {
      actor: caller.actor(),
      scopes: caller.scopes,
      now: clock(),
      id: row.id,
      version: row.version,
      known: row.secrets,
      name: change.name ?? row.name,
      config: next ? JSON.stringify(next.shown) : row.config,
      secrets: next ? seal(next.secrets, row.id) : row.secrets,
      fields: Object.keys(change),
      unchecked: next !== undefined,
    };
    return { update, warnings };
  };
  const askRow: SourceService['askRow'] = async (caller, row, isStored, question) => {
    try {
      return await prober.ask(caller, row.type, configOf(row), question, isStored ? row.id : undefined);
    } catch (error) {
      throw error instanceof OutsideError ? conflictOf(called(row), error) : error;
    }
  };

  const outcomeOf = async (run: () => Promise<Answers['check']>): Promise<CheckOutcome> => {
    const started = performance.now();
    const duration = (): number => Math.round(performance.now() - started);
    try {
      const { message, warnings, liveNeeds } = await run();
      return { ok: true, message, warnings: [...warnings], live_needs: liveNeeds && [...liveNeeds], error: null, duration_ms: duration() };
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      // It says nothing about the source.
      if (error.code === 'BUSY') throw unavailable(error.message);
      return { ok: false, message: error.message, warnings: [], live_needs: null, error: failureOf(error), duration_ms: duration() };
    }
  };

  return {
    create: async (caller, input) => {
      const { source, warnings } = await prepare(caller, input);
      return { row: await db.write(createSource, source), warnings };
    },
    update: async (caller, id, change) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const row = await stored(id);
        if (change.type !== undefined && change.type !== row.type)
          throw invalidParam('type', `cannot be changed; it is ${row.type}. Add another source instead`);
        if (change.config === undefined && (change.name ?? row.name) === row.name) return { row, warnings: [] };
        const { update, warnings } = await prepareUpdate(caller, row, change);
        const done = await db.write(updateSource, update);
        if (done) return { row: done, warnings };
      }
    },
    prepare,
    prepareUpdate: async (caller, row, change) => (await prepareUpdate(caller, row, change)).update,
    tryOut: (caller, unsaved) => outcomeOf(() => askUnsaved(caller, unsaved, { ask: 'check' })),
    outline: async (caller, unsaved) => {
      try {
        return await askUnsaved(caller, unsaved, { ask: 'outline' });
      } catch (error) {
        throw error instanceof OutsideError ? refusalOf(error) : error;
      }
    },
    sampleOf: async (caller, unsaved, stream, limit) => {
      // Where rows of the shop may be is known of sources that are stored.
      if (findManifest(unsaved.type)?.outlines !== true)
        throw new AppError('CONFLICT', 'Rows of this type are shown when it is saved as a source.', {
          field: 'type',
          reason: 'save it first',
        });
      try {
        return await askUnsaved(caller, unsaved, { ask: 'sample', stream, limit });
      } catch (error) {
        throw error instanceof OutsideError ? conflictOf('This configuration', error) : error;
      }
    },
    check: async (caller, id) => {
      const row = await stored(id);
      const outcome = await outcomeOf(async () => prober.ask(caller, row.type, configOf(row), { ask: 'check' }, id));
      const message = sentences([outcome.message, ...outcome.warnings, outcome.error?.hint]);
      await db.write(recordCheck, { id, version: row.version, now: clock(), status: outcome.ok ? 'ok' : 'failing', message });
      return outcome;
    },
    ask: async (caller, id, question) => askRow(caller, await stored(id), true, question),
    askRow,
    makeReady: (types) => prober.makeReady(types),
    plan: async (caller, streams) => {
      try {
        return await prober.plan(caller, streams);
      } catch (error) {
        throw error instanceof OutsideError && error.kind !== 'bug' ? unavailable(`${error.message} Try again in a moment`) : error;
      }
    },
    endOf: async (id) => {
      const row = await stored(id);
      return { id, name: row.name, type: row.type, config: configOf(row) };
    },
    configOf,
    renewSecrets: async () => {
      for (const row of await allSources(db.read)) {
        const schema = findManifest(row.type)?.config;
        const isOld = row.secrets !== null && keyIdOf(row.secrets) !== keyring.current;
        // What was stored in the open by a version that took it for no secret.
        const isOpen = schema !== undefined && JSON.stringify(splitSecrets(schema, JSON.parse(row.config), allMasked).shown) !== row.config;
        if (!isOld && !isOpen) continue;
        try {
          const known = row.secrets === null ? {} : (JSON.parse(keyring.decrypt(row.secrets, row.id)) as Secrets);
          const { shown, secrets } = isOpen
            ? splitSecrets(schema, JSON.parse(row.config), () => known)
            : { shown: undefined, secrets: known };
          const config = shown === undefined ? row.config : JSON.stringify(shown);
          await db.write(replaceSecrets, { id: row.id, version: row.version, config, secrets: seal(secrets, row.id) });
          log.info({ source_id: row.id, at: isoTime(clock()) }, 'encrypted the secrets of a source with the new key');
        } catch (error) {
          if (!(error instanceof SecretError)) throw error;
          log.warn(
            { source_id: row.id, reason: error.message },
            'the secrets of a source cannot be read; add the key to SYNCLINE_SECRET_KEY',
          );
        }
      }
    },
  };
}

/** As its connector gets it: plain data, for another thread. */
function plainOf(type: string, shown: unknown, secrets: Secrets): unknown {
  return JSON.parse(JSON.stringify(joinSecrets(manifestOf(type).config, shown, secrets)));
}

/** For what only asks where secrets are. */
const allMasked = (): Secrets => ({});

/** The configuration, split and known to be right; throws every fault with its field. */
function checked(type: string, config: unknown, known: () => Secrets, hiddenTypes = true) {
  const manifest = findManifest(type, hiddenTypes);
  if (!manifest) throw invalidParam('type', `must be one of ${manifests.map((candidate) => candidate.type).join(', ')}`);
  if (depthOf(config, MAX_DEPTH) > MAX_DEPTH) throw invalidParam('config', `must not be nested more than ${MAX_DEPTH} levels deep`);
  const faults: FieldError[] = checkerOf(manifest.config)
    .explain(withDefaults(manifest.config, config))
    .map(({ field, reason }) => ({ field: field === '' ? 'config' : `config.${field}`, reason }));
  if (faults.length > 0) throw invalidParams(faults);
  const split = splitSecrets(manifest.config, config, known);
  const filled = withDefaults(manifest.config, joinSecrets(manifest.config, split.shown, split.secrets)) as never;
  const more = (manifest.validate?.(filled) ?? []).map(({ field, reason }) => ({ field: `config.${field}`, reason }));
  if (split.faults.length + more.length > 0) throw invalidParams([...split.faults, ...more]);
  return split;
}

function manifestOf(type: string): Manifest {
  const manifest = findManifest(type);
  if (!manifest)
    throw new OutsideError('config', 'TYPE_UNKNOWN', `This Syncline has no connector "${type}".`, {
      hint: 'Start the version that has it.',
    });
  return manifest;
}

function failureOf({ kind, code, message, hint, field }: OutsideError) {
  return { kind, code, message, hint: hint ?? null, field: field === undefined ? null : `config.${field}` };
}

function called({ name }: SourceRow): string {
  return `The source "${name}"`;
}

function conflictOf(what: string, error: OutsideError): AppError {
  if (error.code === 'BUSY') return unavailable(error.message);
  if (error.code === 'STREAM_MISSING') return new AppError('NOT_FOUND', error.message, { reason: error.hint ?? 'no stream has this name' });
  return new AppError('CONFLICT', `${what} cannot be used: ${error.message}`, {
    ...(error.field && { field: `config.${error.field}` }),
    reason: error.hint ?? error.message,
  });
}
