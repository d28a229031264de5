import type { ChangeSet, LogRequest } from '../../changes.ts';
import { everyTick } from '../../../lib/ticks.ts';
import { codeOf, fenced, OutsideError } from '../../../outside/errors.ts';
import type { WalFeed } from './feed.ts';
import { WalUnreadable, type WalRelation } from './messages.ts';
import { type WalPosition, lsnText } from './position.ts';
import { ChangeSets } from './sets.ts';
import type { WalServer } from './server.ts';
import type { RowShape } from './shape.ts';
import { statusMessage } from './status.ts';
import { type UnfinishedRow, unreadable, type WalQuestion, WalTranslator } from './translator.ts';
import type { Walsender } from './walsender.ts';

const WAL_DATA = 0x77;
const KEEPALIVE = 0x6b;
/** Before the message itself: where it lies in the log, and when it was sent. */
const WAL_HEADER = 25;

/** The server ends connections that say nothing for a minute, or asks before that. */
const STATUS_EVERY = 20_000;
/** What the target has is told so soon: one word for many commits. */
const ACKNOWLEDGED_WITHIN = 200;
/** How often a position is told when nothing has changed for us, at most. Each is a commit at the target, and where that is the same server it makes its log grow. */
const IDLE_EVERY = 20_000;
/** So much of its log the server has to be able to forget for that; otherwise it is told less often. */
const IDLE_BYTES = 4 * 1024 * 1024;
const IDLE_SELDOM = 300_000;
/** How fast we answer a server that asks again and again. */
const ANSWERED_WITHIN = 500;
/** A server that shuts down waits until we have confirmed everything. When that takes longer, we go. */
const SHUTDOWN_PATIENCE = 5_000;

/** What a follower asks of others. */
export interface WalFollowerPorts {
  /** What a description of a table means; null when it is none of ours. With an error, changes of its stream cannot be told any more. */
  learn(relation: WalRelation): Promise<RowShape | null | { readonly stream: number; readonly error: OutsideError }>;
  /** Whether these parts of a stream are all that it has. */
  isWhole(stream: number, parts: readonly number[]): Promise<boolean>;
  /** Throws a gap when something is lost. */
  diagnose(): Promise<void>;
  finish(rows: readonly UnfinishedRow[]): Promise<void>;
  /** Whether a transaction of which a piece has come is committed. */
  isCommitted(transaction: number): Promise<boolean>;
  /** The end of the log that someone asked for last: the follower says when it is there. */
  askedEnd(): bigint;
  /** Whether another reader has the slot by now. */
  isTaken(): Promise<boolean>;
}

/** What is followed, and from where. */
export interface WalJourney {
  /** The command that begins it. */
  readonly start: string;
  readonly request: LogRequest;
  readonly server: WalServer;
  readonly after: WalPosition;
  readonly milestones: readonly WalPosition[];
}

/** The log from a position on, as sets. One connection; what comes is read at once, until a set is full. */
export class WalFollower {
  readonly #walsender: Walsender;
  readonly #feed: WalFeed;
  readonly #sets: ChangeSets;
  readonly #ports: WalFollowerPorts;
  readonly translator: WalTranslator;
  readonly #stopTicking: () => void;
  #telling: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** What has to be looked up before it is read on. */
  #question: WalQuestion | undefined;
  /** What reading has failed with. */
  #broken: { readonly error: unknown } | undefined;
  #isGathering = false;
  #isClosed = false;
  #received: bigint;
  #safe: bigint;
  /** Where the server stands, as far as everything before has come. */
  #passed: bigint;
  #idleAt = 0;
  #isPressed = false;
  #pressedSince = 0;
  #pressedAt = Number.NEGATIVE_INFINITY;

  constructor(walsender: Walsender, { start, request, server, after, milestones }: WalJourney, ports: WalFollowerPorts) {
    this.#walsender = walsender;
    this.#ports = ports;
    this.#received = this.#safe = this.#passed = after.lsn;
    this.#sets = new ChangeSets({ system: server.system, timeline: server.timeline });
    this.#sets.given = after.lsn;
    this.translator = new WalTranslator(request.streams, this.#sets, after.lsn, {
      moneyDigits: server.moneyDigits,
      milestones: milestones.map(({ lsn }) => lsn),
    });
    this.#feed = walsender.feed(start);
    this.#feed.whenUnasked = () => this.#gather();
    this.#stopTicking = everyTick(STATUS_EVERY, () => this.#tick());
  }

  /** The next set; it comes as soon as there is a whole transaction. What comes until it is asked for is put together. */
  async next(): Promise<ChangeSet> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      this.#gather();
      const question = this.#question;
      if (question) {
        await this.#answer(question);
        this.#question = undefined;
        continue;
      }
      // What was told before comes first.
      if (this.#broken && !this.#sets.hasWhole) throw await this.#known(this.#broken.error);
      this.#pass();
      const set = this.#sets.take();
      if (!set) {
        // What has failed meanwhile has woken nobody.
        if (this.#failure === undefined) await this.#feed.arrival();
        continue;
      }
      const unfinished = this.translator.takeUnfinished();
      if (unfinished.length > 0) await this.#ports.finish(unfinished);
      // There is room again, and who has waited for this one is at work first.
      setImmediate(() => this.#gather());
      return set;
    }
  }

  /** The target has everything up to here. */
  acknowledge(lsn: bigint): void {
    if (lsn <= this.#safe) return;
    this.#safe = lsn;
    if (this.#isPressed) return this.#tell();
    this.#telling ??= setTimeout(() => this.#tell(), ACKNOWLEDGED_WITHIN);
    this.#telling.unref();
  }

  /** Makes the next call of `next` fail. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.#feed.wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTicking();
    if (this.#telling) this.#tell();
    this.#feed.leave();
  }

  async #answer(question: WalQuestion): Promise<void> {
    if (question.tag === 'parts truncated') {
      for (const [stream, parts] of question.parts) this.translator.truncateParts(stream, await this.#ports.isWhole(stream, parts));
      return;
    }
    if (question.tag === 'piece begun')
      return this.translator.learnPiece(question.transaction, await this.#ports.isCommitted(question.transaction));
    const learned = await this.#ports.learn(question);
    if (learned && 'error' in learned) {
      this.translator.learn(question.relation, null);
      this.translator.lose(learned.stream, learned.error);
    } else this.translator.learn(question.relation, learned);
  }

  /** Reads what has come, until a set is full or something has to be looked up. */
  #gather(): void {
    // A step may tell of an error, and that calls this again.
    if (this.#isGathering || this.#question || this.#broken || this.#failure !== undefined || this.#isClosed) return;
    const feed = this.#feed;
    this.#isGathering = true;
    try {
      while (!this.#question && !this.#sets.isFull && feed.step()) {
        const kind = feed.bytes[feed.start];
        if (kind === WAL_DATA) this.#question = this.translator.take(feed.bytes, feed.start + WAL_HEADER, feed.end);
        else if (kind === KEEPALIVE) this.#keepalive(feed.bytes, feed.start);
      }
    } catch (error) {
      this.#broken = { error };
    } finally {
      this.#isGathering = false;
    }
  }

  /** What reading has failed with, in words. */
  async #known(error: unknown): Promise<unknown> {
    if (error instanceof WalUnreadable || error instanceof RangeError) return unreadable(error);
    if (error instanceof OutsideError) return error;
    // Who takes the slot over ends our connection.
    if (codeOf(error) === '57P01' && (await this.#ports.isTaken().catch(() => false))) return fenced(error);
    const known = this.#walsender.errorOf(error);
    // What the server refuses to send, such as without its publication, may be a gap, and is then called so.
    if (known.kind !== 'transient') await this.#ports.diagnose();
    return known;
  }

  #keepalive(bytes: Buffer, start: number): void {
    const end = bytes.readBigUInt64BE(start + 1);
    if (end > this.#received) this.#received = end;
    // What was committed before has come, as commits come in their order.
    if (!this.translator.isInTransaction && end > this.#passed) this.#passed = end;
    if (bytes[start + 17] !== 1) return;
    this.#press(end);
  }

  /** The server wants an answer: it has not heard of us for long, or it is about to shut down, and then asks again after each answer. */
  #press(end: bigint): void {
    const now = performance.now();
    const isAgain = now - this.#pressedAt < 2 * ANSWERED_WITHIN;
    this.#pressedAt = now;
    this.#isPressed = this.#safe < end;
    if (!this.#isPressed || !isAgain) {
      this.#pressedSince = now;
      return this.#tell();
    }
    if (now - this.#pressedSince > SHUTDOWN_PATIENCE)
      throw new OutsideError('transient', 'SERVER_STOPPING', 'The server shuts down, and waits until the target has all changes.', {
        hint: 'The synchronization goes on when the server is back.',
      });
    this.#telling ??= setTimeout(() => this.#tell(), ANSWERED_WITHIN);
  }

  /** Gives out where the server stands when there is nothing else, so that it may forget what concerns nobody. */
  #pass(): void {
    const sets = this.#sets;
    const now = performance.now();
    if (!sets.isEmpty) this.#idleAt = now;
    if (this.translator.passed > this.#passed) this.#passed = this.translator.passed;
    if (!sets.isEmpty || this.translator.isInTransaction || this.#passed <= sets.given) return;
    const asked = this.#ports.askedEnd();
    const isAwaited = (asked > sets.given && asked <= this.#passed) || this.translator.hasMilestone(sets.given, this.#passed);
    const pause = this.#passed - sets.given >= IDLE_BYTES ? IDLE_EVERY : IDLE_SELDOM;
    if (!isAwaited && !this.#isPressed && now - this.#idleAt < pause) return;
    this.#idleAt = now;
    sets.pass(this.#passed);
  }

  #tick(): void {
    this.#tell();
    this.#feed.shrink();
    // There may be a position to tell.
    this.#feed.wake();
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#feed.send(statusMessage({ received: this.#received, safe: this.#safe }, Date.now()));
  }
}

/** The command that begins to send the log; `isEarly`: large transactions before their end. */
export function startCommand(slot: string, publication: string, after: bigint, isEarly: boolean): string {
  const quoted = `"${publication.replaceAll('"', '""')}"`.replaceAll("'", "''");
  const protocol = isEarly ? "proto_version '2', streaming 'on'" : "proto_version '1'";
  return `START_REPLICATION SLOT "${slot}" LOGICAL ${lsnText(after)} (${protocol}, publication_names '${quoted}')`;
}
