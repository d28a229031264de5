import type { Database } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError, invalidParam, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { type Keyring, keyIdOf, SecretError } from '../../lib/secrets.ts';
import { MASK } from '../sources/secret-members.ts';
import { createHook, type HookToCreate, type HookUpdate, resealHook, rotateToken, updateHook } from './commands.ts';
import { MOST_SECRETS, openSecrets, sealSecrets } from './known-hooks.ts';
import { findHook, type HookRow, type HookSecret } from './queries.ts';
import type { ChangedHook, NewHook } from './schemas.ts';
import { schemeOf, type SchemeName } from './schemes.ts';
import { newToken, tokenHash } from './token.ts';

/** A hook with what is shown once. */
export interface MadeHook {
  row: HookRow;
  token: string | null;
  /** A secret that was made here. */
  secret: string | null;
}

export interface HookService {
  create(caller: Caller, input: NewHook): Promise<MadeHook>;
  update(caller: Caller, id: string, change: ChangedHook): Promise<HookRow>;
  /** What `create` and `update` would write, with all checks, for a caller that writes it together with more. */
  prepare(caller: Caller, input: NewHook): { input: HookToCreate; token: string; secret: string | null };
  prepareUpdate(caller: Caller, row: HookRow, change: ChangedHook): HookUpdate;
  /** What its sender signs with: never to be logged, stored or shown. */
  secretOf(row: HookRow): string | null;
  /** Replaces the address, or the secret when one is given. */
  rotate(caller: Caller, id: string, input: { overlapSeconds: number; secret: string | undefined }): Promise<MadeHook>;
  /** Encrypts with the current key what was encrypted with another. */
  renewSecrets(): Promise<void>;
}

interface Options {
  db: Database;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
}

export function createHookService({ db, clock, log, keyring }: Options): HookService {
  const by = (caller: Caller) => ({ actor: caller.actor(), scopes: caller.scopes, now: clock() });
  const found = async (id: string): Promise<HookRow> => {
    const row = await findHook(db.read, id);
    if (!row) throw notFound('hook', id);
    return row;
  };
  const entry = (secret: string): HookSecret => ({ secret, created_at: isoTime(clock()), expires_at: null });

  const service: HookService = {
    prepare: (caller, { name, scheme, secret, header, sync_id: syncId = null }) => {
      demandForm(scheme, secret, header);
      const made = secret === undefined ? schemeOf(scheme).newSecret?.() : undefined;
      const { id, time } = newId('hok', clock());
      const known = secret ?? made;
      const token = newToken();
      const secrets = sealSecrets(keyring, id, known === undefined ? [] : [entry(known)]);
      const fields = { id, name, scheme, header: header ?? null, secrets, syncId, tokenHash: tokenHash(token) };
      return { input: { ...by(caller), now: time, ...fields }, token, secret: made ?? null };
    },
    create: async (caller, given) => {
      const prepared = service.prepare(caller, given);
      return { row: await db.write(createHook, prepared.input), token: prepared.token, secret: prepared.secret };
    },
    secretOf: (row) => knownSecrets(keyring, row).findLast(({ expires_at }) => expires_at === null)?.secret ?? null,
    update: async (caller, id, change) => {
      // Between reading and writing another request may have changed it; then we look again.
      for (;;) {
        const done = await db.write(updateHook, service.prepareUpdate(caller, await found(id), change));
        if (done) return done;
      }
    },
    prepareUpdate: (caller, row, change) => {
      const { id } = row;
      const scheme = change.scheme ?? row.scheme;
      const isOther = scheme !== row.scheme;
      const secret = change.secret === MASK && row.secrets !== null ? undefined : change.secret;
      const header = change.header ?? (isOther ? undefined : (row.header ?? undefined));
      const isKept = secret === undefined && !isOther;
      if (!isKept || change.header !== undefined) demandForm(scheme, isKept ? undefined : (secret ?? ''), header, isKept);
      const secrets = isKept ? row.secrets : sealSecrets(keyring, id, secret === undefined ? [] : [entry(secret)]);
      const fields = {
        name: change.name ?? row.name,
        scheme,
        header: scheme === 'secret' ? (header ?? null) : null,
        secrets,
        syncId: change.sync_id === undefined ? row.sync_id : change.sync_id,
      };
      return { ...by(caller), id, version: row.version, ...fields, fields: Object.keys(change) };
    },
    rotate: async (caller, id, { overlapSeconds, secret }) => {
      const until = isoTime(clock() + overlapSeconds * 1000);
      if (secret === undefined) {
        const token = newToken();
        return { row: await db.write(rotateToken, { ...by(caller), id, tokenHash: tokenHash(token), until }), token, secret: null };
      }
      for (;;) {
        const row = await found(id);
        demandForm(row.scheme, secret, row.header ?? undefined);
        const before = knownSecrets(keyring, row)
          .filter(({ expires_at }) => expires_at === null || expires_at > isoTime(clock()))
          .map((one) => ({ ...one, expires_at: one.expires_at !== null && one.expires_at < until ? one.expires_at : until }));
        const secrets = sealSecrets(keyring, id, [...before, entry(secret)].slice(-MOST_SECRETS));
        const { name, scheme, header, sync_id: syncId, version } = row;
        const fields = { name, scheme, header, secrets, syncId, fields: ['secret'] };
        const done = await db.write(updateHook, { ...by(caller), id, version, ...fields });
        if (done) return { row: done, token: null, secret: null };
      }
    },
    renewSecrets: async () => {
      const rows = await db.read.all<HookRow>(sql`select * from hooks where secrets is not null`);
      for (const row of rows) {
        if (row.secrets === null || keyIdOf(row.secrets) === keyring.current) continue;
        try {
          const secrets = sealSecrets(keyring, row.id, openSecrets(keyring, row));
          await db.write(resealHook, { id: row.id, version: row.version, secrets });
          log.info({ hook_id: row.id }, 'encrypted the secrets of a hook with the new key');
        } catch (error) {
          if (!(error instanceof SecretError)) throw error;
          log.warn({ hook_id: row.id, reason: error.message }, 'the secrets of a hook cannot be read; add the key to SYNCLINE_SECRET_KEY');
        }
      }
    },
  };
  return service;
}

/** The secrets, where the caller is told why they cannot be read. */
function knownSecrets(keyring: Keyring, row: HookRow): HookSecret[] {
  try {
    return openSecrets(keyring, row);
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new AppError('CONFLICT', `The secrets of the hook "${row.name}" cannot be read: ${error.message}.`, {
      field: 'secret',
      reason: 'add that key to SYNCLINE_SECRET_KEY, or replace the secret at once with PUT',
    });
  }
}

/** Throws when secret or header do not go with the scheme. An empty secret is one that is missing. */
function demandForm(name: SchemeName, secret: string | undefined, header: string | undefined, isKept = false): void {
  const scheme = schemeOf(name);
  if (header !== undefined && name !== 'secret') throw invalidParam('header', 'goes with the scheme secret only');
  if (isKept) return;
  if (secret === MASK) throw invalidParam('secret', 'is the placeholder of a secret that is not stored: send the secret itself');
  if (scheme.secret === 'none') {
    if (secret) throw invalidParam('secret', `must be left out: the scheme ${name} has none`);
    return;
  }
  if (secret === '' || (secret === undefined && scheme.secret === 'given'))
    throw invalidParam(
      'secret',
      scheme.secret === 'given'
        ? 'is mandatory: the sender shows it. Where it shows it only after it has the address, give a long random text now and the real one later, with rotate'
        : 'is mandatory with another scheme',
    );
  if (secret?.trim() === '') throw invalidParam('secret', 'must not be blank: anybody would guess it');
  const fault = secret === undefined ? undefined : scheme.secretFault?.(secret);
  if (fault !== undefined) throw invalidParam('secret', fault);
}
