import { isJsonObject } from '../../../../lib/exact-json.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import { handlerOf } from '../errors/handler.ts';
import { errorWords } from '../errors/handler.ts';
import { evaluate, evaluateMap, evaluateText, holds, type TemplateScope, scopeOf } from '../evaluate.ts';
import { type Part, partOf, textAt, textsAt } from '../parts.ts';
import { pythonText } from '../python-text.ts';
import { stepsOf, valueAt } from '../records/dpath.ts';
import { addressOf } from '../request/address.ts';
import { encoded } from '../request/options.ts';
import type { Reply } from '../request/reply.ts';
import { ask } from '../request/sender.ts';
import type { AirbyteSession } from '../session.ts';
import { readExpiry } from './expiry.ts';
import { RotatingToken } from './rotating-token.ts';

const HOUR = 3_600_000;

/** Fetches an access token when there is none, once for all who wait, and keeps it until it expires. */
export class OAuthTokens {
  readonly #session: AirbyteSession;
  readonly #part: Part;
  readonly #scope: TemplateScope;
  readonly #assertion: (() => string) | undefined;
  readonly #updater: Part | undefined;
  /** Given for one refresh only: the next one is in the answer. */
  #rotating: RotatingToken | undefined;
  #pending: Promise<string> | undefined;
  #token: string | undefined;
  #expires = 0;

  constructor(session: AirbyteSession, part: Part, assertion: (() => string) | undefined) {
    this.#session = session;
    this.#part = part;
    this.#scope = scopeOf(session.config, part);
    this.#assertion = assertion;
    this.#updater = partOf(part['refresh_token_updater']);
    this.#begin();
  }

  async get(signal: AbortSignal): Promise<string> {
    const isFixed = this.#endpoint() === undefined && this.#token !== undefined;
    if (this.#token !== undefined && (isFixed || this.#session.clock.now() < this.#expires)) return this.#token;
    return this.#refreshed(signal);
  }

  async renew(signal: AbortSignal): Promise<boolean> {
    if (this.#endpoint() === undefined) return false;
    await this.#refreshed(signal);
    return true;
  }

  #begin(): void {
    const { config } = this.#session;
    const at = (name: string, usual: string[]): unknown => valueAt(config, this.#updater?.[name] ? stepsOf(this.#updater[name]) : usual);
    const [token, expires] = this.#updater
      ? [
          at('access_token_config_path', ['credentials', 'access_token']),
          at('token_expiry_date_config_path', ['credentials', 'token_expiry_date']),
        ]
      : [evaluate(this.#part['access_token_value'], this.#scope), evaluate(this.#part['token_expiry_date'], this.#scope)];
    if (this.#updater) {
      const path = this.#updater['refresh_token_config_path'];
      const steps = path ? stepsOf(path) : ['credentials', 'refresh_token'];
      this.#rotating = new RotatingToken(this.#session, steps, textOrNothing(valueAt(config, steps)));
    }
    this.#keep(textOrNothing(token));
    this.#expires = (expires === undefined || expires === null || expires === '' ? undefined : readExpiry(pythonText(expires))) ?? 0;
  }

  #keep(token: string | undefined): void {
    this.#token = token;
    this.#session.vault.keep('access token', token);
  }

  #endpoint(): string | undefined {
    const written = this.#part['token_refresh_endpoint'];
    return written === undefined || written === null ? undefined : evaluateText(written, this.#scope);
  }

  #refreshed(signal: AbortSignal): Promise<string> {
    this.#pending ??= this.#refresh(signal).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #refresh(signal: AbortSignal): Promise<string> {
    const endpoint = this.#endpoint();
    if (!endpoint)
      throw new OutsideError(
        'auth',
        'TOKEN_MISSING',
        'The settings have no access token, and the manifest does not say where to get one.',
        {
          field: 'settings',
          hint: 'Give the access token in the settings.',
        },
      );
    if (!this.#rotating) return (await this.#exchange(endpoint, undefined, signal)).token;
    return this.#rotating.use(async (refreshToken) => this.#exchange(endpoint, refreshToken, signal));
  }

  /** Gets a token, and the next refresh token where there is another. */
  async #exchange(
    endpoint: string,
    refreshToken: string | undefined,
    signal: AbortSignal,
  ): Promise<{ token: string; next: string | undefined }> {
    const values = this.#values(refreshToken);
    const isQuery = this.#part['send_refresh_request_as_query_params'] === true;
    const own = Object.entries(evaluateMap(this.#part['refresh_request_headers'], this.#scope)).map(([name, value]) => [
      name.toLowerCase(),
      pythonText(value),
    ]);
    const headers = Object.fromEntries([
      ['accept', '*/*'],
      ['user-agent', 'Syncline'],
      ['content-type', 'application/x-www-form-urlencoded'],
      ...own,
    ]) as Record<string, string>;
    const isJson = /json/i.test(headers['content-type'] ?? '');
    const body = isQuery ? undefined : Buffer.from(isJson ? JSON.stringify(values) : encoded(values));
    const request = { method: 'POST', url: addressOf(endpoint, isQuery ? values : {}), headers, body };
    const handler = { ...handlerOf(this.#session, undefined), judge: (reply: Reply) => judge(reply) };
    const reply = await ask(this.#session, request, {
      handler,
      signal,
      streams: false,
      cached: false,
      authorize: async () => ({}),
      renew: async () => false,
    });
    return this.#take(reply);
  }

  /** What is sent to get a token. */
  #values(refreshToken: string | undefined): Record<string, unknown> {
    const part = this.#part;
    const text = (name: string, usual: string): string => evaluateText(part[name] ?? usual, this.#scope);
    const usesAssertion = this.#assertion !== undefined && holds(part['use_profile_assertion'] ?? false, this.#scope);
    const grantName = text('grant_type_name', 'grant_type');
    if (usesAssertion) return { [grantName]: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: this.#assertion?.() };
    const values: Record<string, unknown> = { [grantName]: text('grant_type', 'refresh_token') };
    const hasHeader = Object.keys(evaluateMap(part['refresh_request_headers'], this.#scope)).includes('Authorization');
    if (!hasHeader) {
      values[text('client_id_name', 'client_id')] = text('client_id', '');
      values[text('client_secret_name', 'client_secret')] = text('client_secret', '');
    }
    const given = this.#updater ? refreshToken : part['refresh_token'] === undefined ? undefined : text('refresh_token', '');
    const name = this.#updater
      ? (textAt(this.#updater, 'refresh_token_name') ?? 'refresh_token')
      : text('refresh_token_name', 'refresh_token');
    if (given !== undefined && given !== null) values[name] = given;
    const scopes = textsAt(part, 'scopes');
    if (scopes.length > 0) values['scopes'] = scopes;
    for (const [own, value] of Object.entries(evaluateMap(part['refresh_request_body'], this.#scope)))
      if (!Object.hasOwn(values, own)) values[own] = value;
    return values;
  }

  #take(reply: Reply): { token: string; next: string | undefined } {
    const answer = reply.json();
    const name = evaluateText(this.#part['access_token_name'] ?? 'access_token', this.#scope);
    const token = answer === undefined || !reply.isGood ? undefined : found(answer, name, 0);
    if (typeof token !== 'string' || token === '' || !/^[\x21-\x7e]+$/.test(token)) throw this.#refused(reply, name);
    const next = this.#updater && found(answer, textAt(this.#updater, 'refresh_token_name') ?? 'refresh_token', 0);
    const lifetime = found(answer, evaluateText(this.#part['expires_in_name'] ?? 'expires_in', this.#scope), 0);
    const now = this.#session.clock.now();
    const isDate = typeof this.#part['token_expiry_date_format'] === 'string';
    const expires =
      lifetime === undefined || lifetime === null ? undefined : isDate ? readExpiry(pythonText(lifetime)) : now + Number(lifetime) * 1000;
    this.#expires = expires !== undefined && Number.isFinite(expires) ? expires : now + HOUR;
    this.#keep(token);
    return { token, next: typeof next === 'string' && next !== '' ? next : undefined };
  }

  #refused(reply: Reply, name: string): OutsideError {
    const said = this.#session.vault.shown(errorWords(reply));
    const host = reply.url.host;
    if (reply.isGood)
      return new OutsideError('config', 'TOKEN_MISSING', `The token server ${host} gave no "${name}".`, {
        field: 'settings',
        hint: 'Check the settings that the address of the token server is made of.',
      });
    return new OutsideError(
      'auth',
      'TOKEN_REFUSED',
      `The token server ${host} refused to give a token (${reply.status})${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}.`,
      {
        field: 'settings',
        hint: 'Check the client id and secret; if a refresh token has expired or was used before, give a new one.',
      },
    );
  }
}

function judge(reply: Reply): { action: 'RETRY' | 'SUCCESS' | 'RATE_LIMITED' } {
  if (reply.status === 429) return { action: 'RATE_LIMITED' };
  return { action: reply.status >= 500 ? 'RETRY' : 'SUCCESS' };
}

const MAX_DEPTH = 5;

/** A member of this name, wherever it is in the answer. */
function found(value: unknown, name: string, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (isJsonObject(value) && Object.hasOwn(value, name)) return value[name];
  const inner = isJsonObject(value) ? Object.values(value) : Array.isArray(value) ? value : [];
  for (const entry of inner) {
    const hit = found(entry, name, depth + 1);
    if (hit !== undefined && hit !== null) return hit;
  }
  return undefined;
}

function textOrNothing(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : pythonText(value);
}
