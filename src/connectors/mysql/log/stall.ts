import type { Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import { logReset } from './gaps.ts';
import { numberOfFile } from './positions.ts';
import { logEnd } from './server.ts';

/** So long nothing may come before one asks where the log ends, in milliseconds. */
const QUIET = 45_000;

/** A place that was read to. */
export interface ReadTo {
  readonly file: string;
  readonly at: number;
}

/**
 * A log that is numbered anew while it is followed goes on in a file of which the reader is not told: it would wait for ever. So when nothing comes for
 * a while, the server is asked where its log ends.
 */
export class StallWatch {
  readonly #config: MysqlConfig;
  readonly #context: Context;
  readonly #signal: AbortSignal;
  #last: ReadTo | undefined;
  #since = performance.now();

  constructor(config: MysqlConfig, context: Context, signal: AbortSignal) {
    this.#config = config;
    this.#context = context;
    this.#signal = signal;
  }

  async look(place: ReadTo): Promise<void> {
    const now = performance.now();
    if (this.#last?.file !== place.file || this.#last.at !== place.at) {
      this.#last = place;
      this.#since = now;
    }
    if (now - this.#since < QUIET) return;
    this.#since = now;
    const wire = await connect(this.#config, this.#context, { mode: 'read', signal: this.#signal });
    try {
      const end = await logEnd(wire);
      const [ours, theirs] = [numberOfFile(place.file), numberOfFile(end.file)];
      if (theirs < ours || (theirs === ours && end.at < place.at)) throw logReset(place.file);
      // It goes on elsewhere, or this reader was forgotten: beginning anew at the last position finds out.
      if (theirs > ours || end.at > place.at)
        throw new OutsideError('transient', 'LOG_STALLED', 'The log has gone on, but nothing of it has come.', {
          hint: 'It is read again from the last position.',
        });
    } finally {
      wire.end();
    }
  }
}
