import type { Changes } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Client } from '../client/client.ts';
import { readText } from '../../../outside/http/body.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import { megabytes } from '../../../outside/http/words.ts';
import { isWebPage, notJsonBut, webPage } from '../client/not-json.ts';
import type { ErrorsConfig } from '../config/outcome.ts';
import { demandOnce, notJson, RecordScanner } from '../answer/record-scanner.ts';
import type { Complaint } from '../answer/verdict.ts';

const MAX_ANSWER = 16 * 1024 * 1024;
const MAX_REFUSAL = 64 * 1024;

/** A refusal that concerns the records of a request, with the API's own words. */
export async function refusedRecord(client: Client, answer: Answer, what: string, isAgain = false): Promise<OutsideError> {
  const said = client.wordsOf(await readText(answer, MAX_REFUSAL).catch(() => ''));
  // What an attempt did whose answer was lost may be the very conflict.
  const doubt = isAgain && (answer.status === 409 || answer.status === 412);
  const again = doubt ? ' when it was sent again after a fault; the first time it may have been taken: look it up there' : '';
  return new OutsideError('data', 'RECORD_REFUSED', `${what} (${answer.status})${again}${said && `: ${said}`}`);
}

/** What a complaint with the status of a success means: what is neither about us nor about the API's health is about what was sent. */
export function complaintOf(client: Client, complaint: Complaint, answer: Answer, method: string): OutsideError {
  if (complaint.kind !== 'data') return client.refusalInBody(complaint, answer, method);
  const said = client.shown(complaint.words === '' ? (complaint.code ?? '') : complaint.words);
  return new OutsideError('data', 'RECORD_REFUSED', `The API refused it${said && `: ${said}`}`);
}

/**
 * What a request that writes was answered; undefined when it is nothing or a plain text, which say nothing. All of it is read, as its end
 * may still tell of errors: an answer that breaks off leaves open what was done, and a web page is most often one to log in.
 */
export async function readJson(answer: Answer, errors?: ErrorsConfig): Promise<unknown> {
  const text = (await readText(answer, MAX_ANSWER)).replace(/^\ufeff/, '').trim();
  if (Buffer.byteLength(text) >= MAX_ANSWER)
    throw new OutsideError(
      'config',
      'RESPONSE_TOO_LARGE',
      `The API answered what was written with more than ${megabytes(MAX_ANSWER)} MB.`,
      {
        hint: 'Whether it was taken is told by the end of the answer, too. Ask for smaller answers, or send fewer records in a request.',
      },
    );
  if ((errors?.web_page ?? true) && isWebPage(answer, text)) throw notJsonBut(webPage(text), answer);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (/^[{[]/.test(text)) throw brokenJson(text);
    return undefined;
  }
  demandOnce(text, body);
  return body;
}

/** Whether it was cut off, which may be otherwise the next time, or is no JSON. */
function brokenJson(text: string): unknown {
  const scanner = new RecordScanner([]);
  try {
    for (const _ of scanner.push(Buffer.from(text)));
    scanner.finish();
    return notJson();
  } catch (error) {
    return error;
  }
}

/** Works on several at once; the first failure ends it when those under way are done. */
export async function inParallel<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (failure) throw failure.error;
}

export function none(): Changes {
  return { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };
}
