import type { RunOrder, RunOutcome } from '../../../engine/run.ts';
import type { Thread } from '../../../lib/thread.ts';
import { answerCall } from '../../sources/thread-calls.ts';
import type { FromRunThread, RunListener, RunService, ToRun } from './run-messages.ts';

/** What the main thread and a run in a thread have to say to each other. */
export interface Talk {
  /** Rejects when the thread ends before the run does. */
  readonly outcome: Promise<RunOutcome>;
  tell(message: ToRun): void;
  /** The thread is no longer to be trusted, or nobody waits for the run any more: it has no outcome. */
  giveUp(error: Error): void;
}

interface OpenTalk {
  heard(message: FromRunThread): void;
  reject(error: Error): void;
}

/** The runs that are under way in each thread. */
const talks = new WeakMap<Thread, Map<number, OpenTalk>>();
let works = 0;

/** Gives a thread an order and answers what it asks, until it tells the outcome. */
export function talkTo(thread: Thread, order: RunOrder, service: RunService, listener: RunListener): Talk {
  const open = talksIn(thread);
  const work = ++works;
  const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
  const tell = (message: ToRun): void => thread.postMessage({ ...message, work });
  const heard = (message: FromRunThread): void => {
    if ('outcome' in message) resolve(message.outcome);
    else if ('progress' in message) for (const [index, report] of message.progress) listener.progress(index, report);
    else if ('lag' in message) listener.lag(message.lag);
    else if ('log' in message) listener.log(...message.log);
    else if ('times' in message) listener.times?.(message.times);
    else void answerCall({ ...service }, message, tell);
  };
  open.set(work, { heard, reject });
  tell({ order });
  return { outcome: promise.finally(() => open.delete(work)), tell, giveUp: reject };
}

function talksIn(thread: Thread): Map<number, OpenTalk> {
  const known = talks.get(thread);
  if (known) return known;
  const open = new Map<number, OpenTalk>();
  talks.set(thread, open);
  const ended = (error: Error): void => {
    for (const talk of open.values()) talk.reject(error);
  };
  thread.on('message', (message: FromRunThread) => open.get(message.work)?.heard(message));
  thread.on('error', ended);
  thread.on('exit', (code: number) => ended(new Error(`The thread has ended with code ${code}.`)));
  return open;
}
