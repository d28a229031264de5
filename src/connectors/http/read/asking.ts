import { OutsideError } from '../../../outside/errors.ts';
import { type Api, pageOf } from '../api.ts';
import type { HttpStreamConfig } from '../config/config.ts';
import type { CursorMark } from './mark.ts';
import type { RecordPage } from '../answer/page.ts';
import { askExport } from './export.ts';
import type { PageStart, RequestParameter } from './paging.ts';
import type { HttpReadPlan } from './plan.ts';
import { sinceParameter } from './since.ts';
import { pageRequest } from './requests.ts';

interface Place {
  page: PageStart | undefined;
  since: CursorMark | undefined;
  isResumed: boolean;
}

/** Asks for a page of the stream whose pages are read. */
export async function askWalked(
  api: Api,
  plan: HttpReadPlan,
  { page, since, isResumed }: Place,
): Promise<RecordPage | 'expired' | 'past the end'> {
  const { walked, cursor, signal } = plan;
  if (walked.export) return askExport(api, plan, String(page), isResumed);
  const parameter = sinceParameter(plan, since);
  // Some APIs have no page behind the last rather than an empty one.
  const isNumbered = walked.paging.type === 'page' || walked.paging.type === 'offset';
  const mayEnd = isNumbered && page !== undefined;
  try {
    return await api.client.ask(pageRequest(api.client, walked, { page, since: parameter, signal }), async (answer) => {
      const isEnd = mayEnd && answer.status === 404 && (!isResumed || (await hasFirstPage(api, walked, parameter, signal)));
      if (!isEnd) return pageOf(api, walked, answer);
      answer.discard();
      return 'past the end';
    });
  } catch (error) {
    const { code } = error instanceof OutsideError ? error : {};
    if (!isResumed || isNumbered || (code !== 'PATH_MISSING' && code !== 'REQUEST_REFUSED')) throw error;
    if (cursor?.incremental.order === 'ascending') return 'expired';
    const said = (error as OutsideError).message;
    throw new OutsideError('config', 'POSITION_EXPIRED', `The API does not know the page any more where the read was cut off. ${said}`, {
      hint: 'Reset the synchronization, so that it reads from the beginning.',
      cause: error,
    });
  }
}

/** Whether it is only this page that is missing, and not the whole stream. */
async function hasFirstPage(
  { client }: Api,
  stream: HttpStreamConfig,
  since: RequestParameter | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await client.send({ ...pageRequest(client, stream, { page: undefined, since, signal }), isAside: true });
  answer.discard();
  return answer.status >= 200 && answer.status <= 299;
}
