import type { JsonObject } from '../../../lib/exact-json.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Api } from '../api.ts';
import type { FoundRecord } from '../answer/found-record.ts';
import { parseRecord } from '../answer/records.ts';
import type { Path } from '../answer/paths.ts';
import { askChildren, type Descent, givenBy, inherited, listedIn, shareOf } from './children.ts';
import type { Gathered } from './gathered.ts';
import { LoopGuard } from './loops.ts';
import { nextPage } from './paging.ts';
import type { HttpReadPlan } from './plan.ts';
import type { ChildPosition } from './position.ts';
import { takeRecord } from './taking.ts';

/** From so many on it is no chance that nothing belongs to any record: the path is wrong. */
const ENOUGH = 3;

interface Into {
  gathered: Gathered;
  from: ChildPosition | undefined;
  /** Of the record that it belongs to. */
  digest: string;
  isFull: () => boolean;
}

interface Told {
  rows: number;
  /** Undefined behind the last. */
  at: ChildPosition | undefined;
}

/** What belongs to the records of another stream. */
export class Belonging {
  readonly #api: Api;
  readonly #plan: HttpReadPlan;
  readonly #descent: Descent;
  /** Where it is in what belongs to one record, to the last row that was gathered; undefined between two records. */
  at: ChildPosition | undefined;
  #answered = 0;
  #missing = 0;

  constructor(api: Api, plan: HttpReadPlan, descent: Descent) {
    this.#api = api;
    this.#plan = plan;
    this.#descent = descent;
  }

  /**
   * Gathers what belongs to one record: the list in it, or what is asked for, page by page. It tells where it is when `isFull` says that
   * enough is gathered, and how many rows were made since it told so last.
   */
  of(parent: JsonObject, found: FoundRecord, into: Into): AsyncGenerator<Told> {
    return this.#descent.list ? this.#listed(parent, found, this.#descent.list, into) : this.#asked(parent, into);
  }

  async *#listed(parent: JsonObject, found: FoundRecord, list: Path, { gathered, from, digest, isFull }: Into): AsyncGenerator<Told> {
    const children = listedIn(parent, list);
    const share = shareOf(found, children.length);
    const skip = from?.of === digest ? from.skip : 0;
    let rows = 0;
    for (let count = skip; count < children.length; ) {
      this.at = { of: digest, skip: count };
      const child = children[count++];
      if (child) rows += takeRecord(this.#plan, inherited(child, parent, this.#descent), share, gathered);
      else {
        const row = inherited({}, parent, this.#descent);
        gathered.reject({ row, reason: `What is listed at "${list.join('.')}" is not a JSON object.` }, share);
      }
      this.at = { of: digest, skip: count };
      if (!isFull()) continue;
      yield { rows, at: this.at };
      rows = 0;
    }
    this.at = undefined;
    if (rows > 0) yield { rows, at: undefined };
  }

  async *#asked(parent: JsonObject, { gathered, from, digest, isFull }: Into): AsyncGenerator<Told> {
    const { stream, signal } = this.#plan;
    const given = givenBy(parent, this.#descent);
    const guard = new LoopGuard({ hasKey: stream.key.length > 0, maxPages: this.#api.config.max_pages });
    let { page, skip } = from?.of === digest ? from : { page: undefined, skip: 0 };
    let rows = 0;
    this.at = { of: digest, page, skip };
    for (;;) {
      guard.enter(page);
      const answer = await askChildren(this.#api, stream, { page, given, signal });
      if (!answer) {
        this.#missing++;
        break;
      }
      this.#answered++;
      let count = 0;
      let last: FoundRecord | undefined;
      for await (const some of answer.records) {
        for (const found of some) {
          guard.record(found);
          last = found;
          if (++count <= skip) continue;
          rows += this.#take(parent, found, gathered);
          this.at = { of: digest, page, skip: count };
          if (!isFull()) continue;
          yield { rows, at: this.at };
          rows = 0;
        }
      }
      guard.leave(count);
      const next = nextPage(stream.paging, {
        start: page,
        count,
        envelope: answer.envelope(),
        headers: answer.headers,
        url: answer.url,
        origin: this.#api.client.urlOf('/').origin,
        lastField: (name) => {
          const parsed = last && parseRecord(last);
          return parsed && 'record' in parsed ? parsed.record[name] : undefined;
        },
      });
      if (next === undefined) break;
      const isAddress = stream.paging.type === 'next_url' || stream.paging.type === 'link_header';
      page = isAddress ? this.#api.client.bare(new URL(String(next))).href : next;
      skip = 0;
      this.at = { of: digest, page, skip };
    }
    this.at = undefined;
    if (rows > 0) yield { rows, at: undefined };
  }

  /** The read is over: nothing at all behind a path means that there is no such path. */
  demandSome(): void {
    if (this.#answered > 0 || this.#missing < ENOUGH) return;
    const { path } = this.#plan.stream;
    throw new OutsideError(
      'config',
      'PATH_MISSING',
      `There is nothing at ${path} for any of ${this.#missing} records of "${this.#descent.parent.name}" (404).`,
      {
        hint: 'Check the path of the stream and `from.params`.',
      },
    );
  }

  #take(parent: JsonObject, found: FoundRecord, gathered: Gathered): number {
    const parsed = parseRecord(found);
    if ('record' in parsed) return takeRecord(this.#plan, inherited(parsed.record, parent, this.#descent), found, gathered);
    gathered.reject(parsed.reject, found);
    return 0;
  }
}
