import { setTimeout as wait } from 'node:timers/promises';
import { aborted, OutsideError } from '../../../../outside/errors.ts';
import { awsEscaped, awsSigned } from '../../../../outside/http/aws-signature.ts';
import { readText } from '../../../../outside/http/body.ts';
import { createHttpClient, type HttpClient } from '../../../../outside/http/client.ts';
import type { Answer } from '../../../../outside/http/exchange.ts';
import { explainWith } from '../../../../outside/http/words.ts';
import type { Reach } from '../../../../outside/reach.ts';
import type { S3Config } from '../config.ts';
import { type StorageComplaint, complaintInWords, complaintOf, isPassing } from './errors.ts';

const SILENT_MS = 30_000;
// A server that sends a few bytes now and then would hold a run without end.
const SLOW_BYTES_PER_SECOND = 512;
// What takes long there may take so long, with a sign of life now and then.
const LONG_MS = 15 * 60_000;
const MAX_XML = 16 * 1024 * 1024;
const MAX_COMPLAINT = 64 * 1024;
const TRIES = 4;
const FIRST_PAUSE_MS = 200;

const explain = explainWith({
  who: 'The storage',
  address: 'place.endpoint',
  addressInWords: 'the endpoint',
  authority: 'place.ca',
  slowHint: 'The storage or the way to it is overloaded. It is tried again later.',
  large: { field: 'place.endpoint', hint: 'Check that the endpoint is an S3 API.' },
});

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without it, the bucket itself is asked. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Complaints that the caller wants to hear itself: by status or by S3's word. */
  readonly expects?: readonly (number | string)[];
  /** The storage may take its time over it. */
  readonly isLong?: true;
}

/** A bucket: signs, asks, and tries again what may be well the next time. */
export class S3Client {
  readonly host: string;
  readonly #config: S3Config;
  readonly #http: HttpClient;
  readonly #patient: HttpClient;
  #region: string;
  /** How far the clock of the other side is ahead of ours, in milliseconds. */
  #ahead = 0;

  /** `silence`: so many milliseconds may pass without a word from the storage. */
  constructor(config: S3Config, reach: Reach, silence = SILENT_MS) {
    this.#config = config;
    this.#region = config.region;
    const options = {
      reach,
      ...(config.ca !== undefined && { tls: { verify: true, ca: config.ca } }),
      keepsConnections: true,
      // Objects may be packed themselves: they are taken as they lie there.
      unpacks: false,
      explain,
    };
    this.#http = createHttpClient({ ...options, bounds: { timeout: silence, bytesPerSecond: SLOW_BYTES_PER_SECOND, pace: 'each' } });
    this.#patient = createHttpClient({ ...options, bounds: { timeout: silence, total: LONG_MS, bytesPerSecond: 0, pace: 'each' } });
    this.host = this.#base().host;
  }

  get bucket(): string {
    return this.#config.bucket;
  }

  close(): void {
    this.#http.close();
    this.#patient.close();
  }

  /** Asks; what is neither a success nor expected is an error in words. */
  async ask(request: S3Request, signal: AbortSignal): Promise<Answer & { complaint?: StorageComplaint }> {
    let isAdjusted = false;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(request, signal).catch((error: unknown) => {
        const isWorthIt = error instanceof OutsideError && error.kind === 'transient' && error.code !== 'ABORTED' && attempt < TRIES;
        if (!isWorthIt || signal.aborted) throw error;
      });
      if (answer && answer.status >= 200 && answer.status < 300) return answer;
      if (answer) {
        const complaint = await this.#complaint(request, answer, signal);
        if (request.expects?.some((one) => one === complaint.status || one === complaint.code)) return { ...answer, complaint };
        if (!isAdjusted && this.#adjust(complaint, answer)) {
          isAdjusted = true;
          continue;
        }
        if (!isPassing(complaint) || attempt >= TRIES) throw complaintInWords(complaint, this.host, this.bucket, request.key ?? '');
      }
      // Not all at the same moment again.
      await wait(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal }).catch(() => {
        throw aborted();
      });
    }
  }

  /** What the storage says is wrong. An answer to HEAD has no words: the same is asked for once more, to hear them. */
  async #complaint(request: S3Request, { status, headers, body }: Answer, signal: AbortSignal): Promise<StorageComplaint> {
    const complaint = complaintOf(status, headers, await readText({ body }, MAX_COMPLAINT));
    if (request.method !== 'HEAD' || (status !== 400 && status !== 403)) return complaint;
    const spoken = await this.#once({ ...request, method: 'GET', headers: { range: 'bytes=0-0' } }, signal);
    const words = await readText(spoken, MAX_COMPLAINT);
    return spoken.status === status ? complaintOf(status, spoken.headers, words) : complaint;
  }

  /** Asks for something of which only the headers count. What is read to its end leaves its connection for the next request. */
  async tell(request: S3Request, signal: AbortSignal): Promise<Answer & { complaint?: StorageComplaint }> {
    const answer = await this.ask(request, signal);
    if (!answer.complaint) await readText(answer, MAX_COMPLAINT);
    return answer;
  }

  /** The document that is answered, to be looked at as a whole; empty where it broke off. */
  async askText(request: S3Request, signal: AbortSignal): Promise<{ text: string; complaint?: StorageComplaint }> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.ask(request, signal);
      if (answer.complaint) return { text: '', complaint: answer.complaint };
      try {
        return { text: await readText(answer, MAX_XML) };
      } catch (error) {
        const isLost = error instanceof OutsideError && error.kind === 'transient' && !signal.aborted;
        if (!isLost || (request.method === 'GET' && attempt >= TRIES)) throw error;
        // What changes nothing is asked for again. Else the caller looks what became of it.
        if (request.method !== 'GET') return { text: '' };
      }
    }
  }

  /** Learns from a complaint where the bucket is, or what time it is there; answers whether that is news. */
  #adjust({ code, region, status }: StorageComplaint, { headers }: Answer): boolean {
    if (code === 'RequestTimeTooSkewed') {
      const theirs = Date.parse(String(headers.date));
      if (Number.isNaN(theirs)) return false;
      this.#ahead = theirs - Date.now();
      return true;
    }
    const isOfRegion = status === 301 || status === 307 || status === 400;
    if (!isOfRegion || region === undefined || region === this.#region || !/^[a-z0-9-]{1,100}$/.test(region)) return false;
    this.#region = region;
    return true;
  }

  #base(): URL {
    const { endpoint, bucket, addressing } = this.#config;
    const url = new URL(endpoint ?? `https://s3.${this.#region}.amazonaws.com`);
    // A dot in its name would not fit the certificate of *.s3.amazonaws.com.
    const isBefore = addressing === 'virtual' || (addressing === 'auto' && endpoint === undefined && !bucket.includes('.'));
    if (isBefore) url.hostname = `${bucket}.${url.hostname}`;
    else url.pathname = `/${awsEscaped(bucket)}/`;
    return url;
  }

  #once({ method, key, query = {}, headers = {}, body, isLong }: S3Request, signal: AbortSignal): Promise<Answer> {
    const url = this.#base();
    if (key !== undefined) url.pathname += key.split('/').map(awsEscaped).join('/');
    url.search = Object.entries(query)
      .map(([name, value]) => `${awsEscaped(name)}=${awsEscaped(value)}`)
      .join('&');
    const http = isLong ? this.#patient : this.#http;
    const request = { method, url, headers: { 'accept-encoding': 'identity', ...headers }, body };
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = this.#config;
    if (accessKeyId === undefined || secretAccessKey === undefined) return http.send(request, signal);
    const keys = { accessKeyId, secretAccessKey, sessionToken };
    const signed = awsSigned(request, keys, { region: this.#region, service: 's3' }, new Date(Date.now() + this.#ahead));
    return http.send({ ...request, headers: signed }, signal);
  }
}
