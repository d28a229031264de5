import { OutsideError } from '../../../../outside/errors.ts';
import { element } from './xml.ts';

const BUSY = new Set(['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted', 'TooManyRequests']);
const KEYS: Readonly<Record<string, [field: string, words: string]>> = {
  InvalidAccessKeyId: ['place.access_key_id', 'does not know the access key id'],
  SignatureDoesNotMatch: ['place.secret_access_key', 'refuses the signature: the secret access key is not the one of the access key id'],
  ExpiredToken: ['place.session_token', 'says that the keys have expired'],
  InvalidToken: ['place.session_token', 'refuses the session token'],
};

/** What the storage said instead of what was asked for. */
export interface StorageComplaint {
  readonly status: number;
  /** S3's word for it; empty where it gave none, as in answers to HEAD. */
  readonly code: string;
  /** The region that it names, where that is what is wrong. */
  readonly region: string | undefined;
  readonly retryAfter: string | undefined;
}

export function complaintOf(status: number, headers: Record<string, string | string[] | undefined>, xml: string): StorageComplaint {
  const header = (name: string): string | undefined => (typeof headers[name] === 'string' ? headers[name] : undefined);
  return {
    status,
    code: element(xml, 'Code') ?? '',
    region: header('x-amz-bucket-region') ?? element(xml, 'Region'),
    retryAfter: header('retry-after'),
  };
}

/** Whether it may be well the next time. */
export function isPassing({ status, code }: StorageComplaint): boolean {
  // What it cannot do today it cannot do tomorrow.
  return status === 429 || (status >= 500 && status !== 501) || BUSY.has(code);
}

/** What it means, in words. `host` is who said it, `what` is the key that it is about. */
export function complaintInWords(complaint: StorageComplaint, host: string, bucket: string, what: string): OutsideError {
  const { status, code, region, retryAfter } = complaint;
  const said = `(${code === '' ? status : `${status}, ${code}`})`;
  const keys = KEYS[code];
  if (keys)
    return new OutsideError('auth', 'KEY_REFUSED', `${host} ${keys[1]} ${said}.`, {
      field: keys[0],
      hint: 'Check the keys of the source.',
    });
  if (code === 'RequestTimeTooSkewed')
    return new OutsideError('config', 'CLOCK_WRONG', `${host} says that the clock of this machine is wrong ${said}.`, {
      hint: 'Set the clock of the machine that runs Syncline, or of the storage, by NTP.',
    });
  if (code === 'NoSuchBucket')
    return new OutsideError('config', 'BUCKET_MISSING', `There is no bucket "${bucket}" at ${host}.`, {
      field: 'place.bucket',
      hint: 'Check its name, and the endpoint.',
    });
  if (region !== undefined && (status === 301 || status === 307 || status === 400))
    return new OutsideError('config', 'REGION_WRONG', `The bucket "${bucket}" is in the region ${region.slice(0, 100)} ${said}.`, {
      field: 'place.region',
      hint: 'Set the region to that.',
    });
  if (status >= 300 && status < 400)
    return new OutsideError('config', 'REDIRECT_REFUSED', `${host} leads elsewhere ${said}, where requests signed for it are not sent.`, {
      field: 'place.endpoint',
      hint: 'Check endpoint and region.',
    });
  if (isPassing(complaint)) {
    const seconds = Number(retryAfter);
    return new OutsideError('transient', 'SERVER_BUSY', `${host} cannot answer just now ${said}.`, {
      ...(retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0 && { retryAfter: seconds }),
    });
  }
  if (status === 401 || status === 403)
    return new OutsideError('auth', 'FILE_FORBIDDEN', `${host} does not let Syncline touch "${what}" in the bucket "${bucket}" ${said}.`, {
      field: 'path',
      hint: 'Give the keys the rights to list the bucket, and to read, write and delete objects in it.',
    });
  if (status === 404)
    return new OutsideError('config', 'FILE_MISSING', `There is no file "${what}" in the bucket "${bucket}".`, {
      field: 'path',
      hint: 'Check the path.',
    });
  if (status === 412) return fileChanged(what);
  return new OutsideError('config', 'STORAGE_REFUSED', `${host} refuses what was asked about "${what}" ${said}.`, {
    field: 'place.endpoint',
    hint: 'Check that the endpoint is an S3 API, and what its log says.',
  });
}

export function brokenAnswer(host: string, what: string): OutsideError {
  return new OutsideError('transient', 'ANSWER_BROKEN', `${host} sent ${what} that is cut off or makes no sense.`, {
    hint: 'It is tried again. If it stays so, check that the endpoint is an S3 API.',
  });
}

export function fileChanged(what: string): OutsideError {
  return new OutsideError('transient', 'FILE_CHANGED', `"${what}" was replaced while it was being read.`, { hint: 'It is read anew.' });
}
