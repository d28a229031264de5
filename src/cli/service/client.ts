import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { adminKeyFile } from '../../keys/admin-key.ts';
import type { Config } from '../../config.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import type { FieldError } from '../../lib/errors.ts';
import { CliError } from '../errors.ts';
import { fetchWithOwnCertificate } from './own-certificate.ts';
import { unreachable } from './unreachable.ts';

const TIMEOUT = 30_000;

interface FoundKey {
  key: string;
  /** Where it was found, for the one who must find it again. */
  from: string;
}

/** The running service, as the command line sees it. */
export interface ServiceClient {
  readonly key: FoundKey;
  /** Where it is. */
  readonly url: string;
  /** Answers the whole body of a success; anything else is thrown in words that say what to do. */
  call<Body>(method: string, path: string, body?: object, more?: { headers?: Record<string, string>; timeout?: number }): Promise<Body>;
  /** Sends a text as it is, and answers with whatever status and text come back. */
  send(method: string, path: string, text?: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  /** The lines of an answer that goes on for as long as there is something to tell. */
  lines(path: string, accept: string, signal?: AbortSignal): AsyncIterable<string>;
  /** An answer of any type and size, as it comes. */
  bytes(path: string): AsyncIterable<Uint8Array>;
}

/** Where the service is, and how it is called there. */
interface Service {
  url: string;
  fetch: typeof fetch | ReturnType<typeof fetchWithOwnCertificate>;
}

export interface ServiceRequest {
  method: string;
  path: string;
  body?: object | undefined;
  headers?: Record<string, string>;
  /** Milliseconds after which an answer is no longer waited for. */
  timeout?: number;
}

interface ErrorAnswer {
  success: false;
  error: { code: string; message: string; details: { errors?: FieldError[] } };
}

export function createClient(config: Config): ServiceClient {
  const service = {
    url: serviceUrl(config),
    fetch: config.url === undefined && config.tls ? fetchWithOwnCertificate(config.tls.cert) : fetch,
  };
  const key = findKey(config);
  return {
    key,
    url: service.url,
    call: async <Body>(
      method: string,
      path: string,
      body?: object,
      more: { headers?: Record<string, string>; timeout?: number } = {},
    ): Promise<Body> => {
      const { status, answer } = await sendTo(service, key.key, { method, path, body, ...more });
      if (isSuccess(status)) return answer as Body;
      throw refusal(status, answer as ErrorAnswer, key);
    },
    send: async (method, path, text, headers = {}) => {
      const response = await request(service, key.key, { method, path, text, headers, timeout: TIMEOUT });
      return { status: response.status, text: await response.text() };
    },
    lines: (path, accept, signal) => readLines(service, key, path, accept, signal),
    bytes: (path) => readBytes(service, key, path, '*/*'),
  };
}

async function* readBytes(service: Service, key: FoundKey, path: string, accept: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const { url } = service;
  let response: Response;
  try {
    response = await service.fetch(url + path, {
      headers: { authorization: `Bearer ${key.key}`, accept },
      redirect: 'manual',
      ...(signal && { signal }),
    });
  } catch (error) {
    throw error instanceof CliError ? error : unreachable(url, error as Error);
  }
  if (response.status !== 200 || !response.body) {
    const answer = await readAnswer(response);
    throw answer === undefined ? stranger(url, response) : refusal(response.status, answer as ErrorAnswer, key);
  }
  yield* response.body;
}

async function* readLines(service: Service, key: FoundKey, path: string, accept: string, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of readBytes(service, key, path, accept, signal)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function serviceUrl({ url, host, port, tls }: Config): string {
  if (url !== undefined) return url.replace(/\/+$/, '');
  if (port === 0) throw new CliError('PORT is 0, so the service took a port that only it knows. Set SYNCLINE_URL to where it runs.');
  // An address that means "all of this machine's" can be listened on, not called.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${tls ? 'https' : 'http'}://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

function findKey({ key, adminKey, dataDir }: Config): FoundKey {
  if (key !== undefined) return { key, from: 'SYNCLINE_KEY' };
  if (adminKey !== undefined) return { key: adminKey, from: 'SYNCLINE_ADMIN_KEY' };
  const file = adminKeyFile(dataDir);
  const text = readKeyFile(file);
  if (text === '') throw new CliError(`The file ${file} is empty. Write an admin key into it, or set SYNCLINE_KEY.`);
  return { key: text, from: file };
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read by this user';
    throw new CliError(
      `No key to call the service with: ${file} ${why}.\n` +
        "Set SYNCLINE_KEY to a key with the scope admin, or SYNCLINE_DATA_DIR to the service's data directory.",
    );
  }
}

/** Asks a service that is known by its address alone. Throws a `CliError` when nothing, or no Syncline, answers. */
export function askService(
  { url, adminKey }: { url: string; adminKey: string },
  request: ServiceRequest,
): Promise<{ status: number; answer: object }> {
  return sendTo({ url, fetch }, adminKey, request);
}

async function sendTo(service: Service, key: string, { method, path, body, headers = {}, timeout = TIMEOUT }: ServiceRequest) {
  const json = body && { text: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const response = await request(service, key, { method, path, headers, timeout, ...json });
  const answer = await readAnswer(response);
  if (answer === undefined) throw stranger(service.url, response);
  return { status: response.status, answer };
}

interface TextRequest {
  method: string;
  path: string;
  text?: string | undefined;
  headers: Record<string, string>;
  timeout: number;
}

async function request(service: Service, key: string, { method, path, text, headers, timeout }: TextRequest): Promise<Response> {
  const { url } = service;
  try {
    return await service.fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(text !== undefined && { body: text }),
      // Followed, a redirect could turn one request into another.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    });
  } catch (error) {
    throw error instanceof CliError ? error : unreachable(url, error as Error);
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The body when it is one of ours. */
async function readAnswer(response: Response): Promise<object | undefined> {
  try {
    // With all digits: a sample of a table may hold numbers that a double cannot.
    const answer: unknown = parseExactly(await response.text());
    return typeof answer === 'object' && answer !== null && 'success' in answer ? answer : undefined;
  } catch {
    return undefined;
  }
}

function stranger(url: string, { status, headers }: Response): CliError {
  const location = headers.get('location');
  const what = location ? `sends on to ${location}` : `answered ${status}, and not as Syncline does`;
  return new CliError(`What listens at ${url} ${what}. Set SYNCLINE_URL to where Syncline runs.`);
}

/** The fields that the service finds fault with, where it has refused a request for them. */
export function faultsIn(error: unknown): readonly FieldError[] {
  const { errors } = (error instanceof CliError ? error.told.details : {}) as { errors?: FieldError[] };
  return errors ?? [];
}

function refusal(status: number, { error }: ErrorAnswer, { from }: FoundKey): CliError {
  return new CliError(wordsOf(status, error, from), 1, error);
}

/** The request is right, and what is there is not as it takes it: how much is left, or in stock, is in the details. */
function isOfState(code: string): boolean {
  return code === 'CONFLICT' || code === 'OUT_OF_STOCK';
}

const ID = /\b[a-z]{3}_[0-9a-z]{26}\b/;

/** Whether a message has the words of a fault already, or names what it is about. */
function isTold({ reason }: FieldError, message: string): boolean {
  const id = ID.exec(reason)?.[0];
  return message.includes(reason) || (id !== undefined && message.includes(id));
}

function wordsOf(status: number, error: ErrorAnswer['error'], from: string): string {
  if (status === 401) {
    return (
      `The key in ${from} is not valid here: it is unknown, expired or revoked. ` +
      'Set SYNCLINE_KEY to one that is valid, and SYNCLINE_URL if you mean another service.'
    );
  }
  if (status === 403) return `${error.message} It was taken from ${from}; set SYNCLINE_KEY to another.`;
  const faults = error.details.errors ?? [];
  if (isOfState(error.code)) {
    const more = faults.filter((fault) => !isTold(fault, error.message)).map(({ field, reason }) => `  - ${field}: ${reason}`);
    return [error.message, ...more].join('\n');
  }
  if (faults.length < 2) return error.message;
  return `The request is not right:\n${faults.map(({ field, reason }) => `  - ${field} ${reason}`).join('\n')}`;
}
