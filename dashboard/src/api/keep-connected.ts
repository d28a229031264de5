import { send } from './client.ts';
import { ApiError } from './errors.ts';

const SHORTEST_WAIT = 500;
const LONGEST_WAIT = 30_000;

export interface ConnectOptions {
  /** The media type to ask for. */
  accept: string;
  /** Reads the answer to its end; answers true when there is nothing more to come. Calls `alive` for whatever comes. */
  read: (response: Response, alive: () => void) => Promise<boolean>;
  /** Told when the connection is there and when it is lost; it is then made again. */
  onConnection?: ((connected: boolean) => void) | undefined;
  signal: AbortSignal;
}

/**
 * Reads an answer that goes on until the signal is given, there is nothing more to come, or the service refuses for good.
 * A lost connection is made again, less and less often. `path` is asked for each time, as it may depend on what came.
 */
export async function keepConnected(path: () => string, { accept, read, onConnection, signal }: ConnectOptions): Promise<void> {
  for (let wait = SHORTEST_WAIT; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      const response = await send(path(), { headers: { accept }, signal });
      onConnection?.(true);
      const isOver = await read(response, () => {
        wait = SHORTEST_WAIT / 2;
      });
      if (isOver) return;
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing && error.status < 500) throw error;
    }
    if (signal.aborted) return;
    onConnection?.(false);
    await pause(wait, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
