import type { Batch } from '../../batch.ts';
import { aborted } from '../../../outside/errors.ts';
import { askWalked } from './asking.ts';
import { Belonging } from './belonging.ts';
import { startExport } from './export.ts';
import { Gathered } from './gathered.ts';
import { LoopGuard } from './loops.ts';
import { digestOf, MarkKeeper } from './mark.ts';
import { nextOf } from './next.ts';
import { NextPage } from './next-page.ts';
import { type HttpPosition, writePosition } from './position.ts';
import { parseRecord } from '../answer/records.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import { type Taking, newsOf, take } from './taking.ts';
import type { Api } from '../api.ts';
import type { HttpReadPlan } from './plan.ts';

// A slow API fills a batch slowly; what is there is handed on after this time.
const MAX_GATHERING = 1000;

/** The pages of the stream itself, or of the one that it comes from. */
export async function* readPages(api: Api, plan: HttpReadPlan): AsyncGenerator<Batch> {
  const { stream, walked, descent, cursor, signal } = plan;
  let { page, skip, since, child } = beginning(plan.progress);
  const guard = new LoopGuard({ hasKey: walked.key.length > 0, maxPages: api.config.max_pages });
  const marks = new MarkKeeper(cursor?.type ?? 'text', plan.progress.mark, cursor?.incremental.overlap);
  const position = (progress: Partial<HttpPosition>): string => {
    const here = { page, skip: 0, isDone: false, since, mark: marks.mark, deletions: plan.progress.deletions, ...progress };
    return writePosition(stream.name, cursor?.name, here);
  };
  const gathered = new Gathered(position({ skip, child }));
  const belonging = descent && new Belonging(api, plan, descent);
  let left = plan.limit;
  const isPaged = walked.paging.type !== 'none';
  const isFull = (): boolean => left <= 0 || gathered.bytes >= plan.batchBytes || gathered.rows >= plan.batchRows;

  // While the records of a page are worked on, the next one is on its way. A sample wants no more than it was asked for.
  await using ahead = new NextPage(api, plan, guard, !belonging && !walked.export && plan.limit === Number.POSITIVE_INFINITY);

  for (let isResumed = page !== undefined; ; isResumed = false) {
    /** Records of this page that are done. */
    let done = skip;
    try {
      guard.enter(page);
      if (walked.export && page === undefined) page = await startExport(api, plan, since);
      const answer = await (ahead.take() ?? askWalked(api, plan, { page, since, isResumed }));
      if (answer === 'expired') {
        // The oldest change comes first here, so all up to the mark has been read; an export is made anew.
        [page, skip, child] = [undefined, 0, undefined];
        if (!walked.export) since = marks.mark;
        guard.restart();
        continue;
      }
      if (answer === 'past the end') break;
      await ahead.begin(answer, page, since);
      let count = 0;
      let last: FoundRecord | undefined;
      for await (const some of answer.records) {
        for (const found of some) {
          if (isPaged) guard.record(found);
          last = found;
          if (++count <= skip) continue;
          if (belonging) {
            for await (const { rows, at } of takeBelonging(plan, belonging, found, {
              gathered,
              marks,
              since,
              from: child,
              isFull: () => isFull() || gathered.rows >= left,
            })) {
              left -= rows;
              if (at && isFull()) yield* gathered.batches(position({ skip: count - 1, child: at }));
              if (left <= 0 && at) return;
              if (signal.aborted) throw aborted();
            }
            child = undefined;
          } else left -= take(plan, found, { gathered, marks, since });
          done = count;
          // A record of which much is asked takes its time.
          if (!isFull() && !(belonging && gathered.age > MAX_GATHERING)) continue;
          yield* gathered.batches(position({ skip: count }));
          if (left <= 0) return;
          if (signal.aborted) throw aborted();
        }
      }
      guard.leave(count);
      const next = nextOf(api, plan, answer, { page, count, last });
      if (next === undefined) break;
      page = next;
      skip = 0;
    } catch (error) {
      // What was read before the fault is none the worse for it, and need not be read again.
      if (gathered.count > 0 && !signal.aborted) yield* gathered.batches(position({ skip: done, child: belonging?.at ?? child }));
      throw error;
    }
    const isMuch = gathered.bytes >= plan.batchBytes / 2 || gathered.rows >= plan.batchRows / 2;
    if (isMuch || gathered.age > MAX_GATHERING) yield* gathered.batches(position({}));
    if (signal.aborted) throw aborted();
  }
  belonging?.demandSome();
  yield* gathered.batches(position({ page: undefined, since: undefined, isDone: true }));
}

/** An incremental read that came to its end begins anew with what is new since then. */
function beginning(progress: HttpPosition): HttpPosition {
  return progress.isDone ? { ...progress, page: undefined, skip: 0, child: undefined, since: progress.mark } : progress;
}

/** What belongs to one record of another stream, unless that was read before and is the same still. */
async function* takeBelonging(
  plan: HttpReadPlan,
  belonging: Belonging,
  found: FoundRecord,
  into: Taking & { from: HttpPosition['child']; isFull: () => boolean },
): ReturnType<Belonging['of']> {
  const { gathered, marks, since, from, isFull } = into;
  const parsed = parseRecord(found);
  if ('reject' in parsed) {
    gathered.reject(parsed.reject, found);
    return;
  }
  const news = newsOf(plan, parsed.record, found, since);
  if (!news?.isKnown) yield* belonging.of(parsed.record, found, { gathered, from, digest: digestOf(found.text), isFull });
  // Not before: what belongs to it would be taken for read.
  if (news) marks.add(news.value, news.raw, news.digest);
}
