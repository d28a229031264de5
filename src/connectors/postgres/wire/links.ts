import type { Context } from '../../contract.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import { type Link, openLink } from './link.ts';
import type { PostgresConfig } from '../manifest.ts';
import { AS_NEW, type Purpose, settingsFor } from './settings.ts';

/** The connections of a session: as many as are in use, and those that wait for their next use. */
export interface Links {
  /** A connection for this work alone; when the signal comes it is cut, and the work fails as aborted. */
  use<Result>(purpose: Purpose, signal: AbortSignal | undefined, work: (link: Link) => Promise<Result>): Promise<Result>;
  /** A connection that the caller gives back, or destroys. */
  take(purpose: Purpose, signal?: AbortSignal): Promise<Link>;
  /** For the next one; only when nothing is under way on it. Who has changed settings or made temporary tables does not say what it is fit for. */
  giveBack(link: Link, fitFor?: Purpose): void;
  /** Throws when the work was stopped, by this signal or as a whole. */
  demandGoing(signal: AbortSignal | undefined): void;
  close(): void;
}

/** One that waits, and what it can be used for as it is. */
interface Waiting {
  link: Link;
  fitFor: Purpose | undefined;
  /** Closes it when it has waited for long. */
  timer: NodeJS.Timeout;
}

const MOST_WAITING = 2;
/** What has waited for so long is closed: a live run may last for months, and a server has few connections. */
const LONGEST_WAIT = 45_000;

/** Opens connections for a configuration; every one goes through `reach`. */
export function linksOf(config: PostgresConfig, context: Context): Links {
  const waiting: Waiting[] = [];
  const open = new Set<Link>();
  let isClosed = false;

  const demandGoing = (signal: AbortSignal | undefined): void => {
    if (signal?.aborted || context.signal.aborted) throw aborted();
  };
  const demandOpen = (signal: AbortSignal | undefined): void => {
    demandGoing(signal);
    if (isClosed) throw new OutsideError('transient', 'CLOSED', 'The session is closed.');
  };
  const connect = async (purpose: Purpose, signal?: AbortSignal): Promise<Link> => {
    demandOpen(signal);
    const link = await openLink(config, context, signal);
    for (const other of open) if (other.isBroken) open.delete(other);
    open.add(link);
    try {
      // It may have been closed in the meantime, when nobody knew of this one yet.
      demandOpen(signal);
      await link.run(settingsFor(purpose, config));
    } catch (error) {
      link.destroy();
      throw error;
    }
    return link;
  };
  const take = async (purpose: Purpose, signal?: AbortSignal): Promise<Link> => {
    demandOpen(signal);
    const usable = waiting.filter(({ link }) => !link.isBroken);
    waiting.length = 0;
    // One that has looked at the tables may as well write to them: another connection takes longer than all of its work.
    const chosen =
      usable.find(({ fitFor }) => fitFor === purpose) ?? usable.find(({ fitFor }) => purpose === 'write' || fitFor === undefined);
    waiting.push(...usable.filter((one) => one !== chosen));
    clearTimeout(chosen?.timer);
    if (chosen?.fitFor === purpose) return chosen.link;
    if (!chosen) return connect(purpose, signal);
    try {
      await chosen.link.run(`${AS_NEW}; ${settingsFor(purpose, config)}`);
      return chosen.link;
    } catch {
      // The server has ended it, or cannot make it as new.
      chosen.link.destroy();
      return connect(purpose, signal);
    }
  };
  const giveBack = (link: Link, fitFor?: Purpose): void => {
    if (isClosed || link.isBroken || waiting.length >= MOST_WAITING) link.destroy();
    else {
      const timer = setTimeout(() => link.destroy(), LONGEST_WAIT).unref();
      waiting.push({ link, fitFor, timer });
    }
  };
  const close = (): void => {
    isClosed = true;
    for (const { timer } of waiting) clearTimeout(timer);
    for (const link of open) link.destroy();
  };
  context.signal.addEventListener('abort', close, { once: true });
  return {
    take,
    giveBack,
    demandGoing,
    use: async (purpose, signal, work) => {
      demandGoing(signal);
      const link = await take(purpose, signal);
      const stop = (): void => link.destroy();
      signal?.addEventListener('abort', stop, { once: true });
      try {
        const result = await work(link);
        giveBack(link, purpose);
        return result;
      } catch (error) {
        link.destroy();
        demandGoing(signal);
        throw error;
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    close: () => {
      context.signal.removeEventListener('abort', close);
      close();
    },
  };
}
