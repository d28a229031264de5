import { OutsideError } from '../../../../outside/errors.ts';
import type { AirbyteSession } from '../session.ts';

interface Exchanged {
  readonly token: string;
  /** The refresh token that follows, where there is another. */
  readonly next: string | undefined;
}

/** A refresh token that is good once. The one that follows is kept with the source before anything is asked with what was given for the last. */
export class RotatingToken {
  readonly #session: AirbyteSession;
  /** Its place in the configuration. */
  readonly #place: string;
  #held: string | undefined;

  constructor(session: AirbyteSession, steps: readonly string[], held: string | undefined) {
    this.#session = session;
    this.#place = ['settings', ...steps].join('.');
    this.#held = held;
  }

  /** Exchanges the one that is good now. Another run may have used it at the same moment, and was given the next one: then that is tried. */
  async use(exchange: (refreshToken: string | undefined) => Promise<Exchanged>): Promise<string> {
    for (let isAgain = false; ; isAgain = true) {
      const [kept, token] = await this.#current();
      try {
        const { token: access, next } = await exchange(token);
        if (next !== undefined && next !== token) await this.#replace(kept, next);
        return access;
      } catch (error) {
        if (isAgain || !(error instanceof OutsideError) || error.kind !== 'auth' || (await this.#current())[1] === token) throw error;
      }
    }
  }

  /** What is kept with the source, where it is kept there, and what is to be used. */
  async #current(): Promise<[kept: string | undefined, token: string | undefined]> {
    const kept = (await this.#session.secrets?.current(this.#place)) || undefined;
    const token = kept ?? this.#held;
    this.#session.vault.keep('refresh token', token);
    return [kept, token];
  }

  async #replace(kept: string | undefined, by: string): Promise<void> {
    this.#session.vault.keep('refresh token', by);
    this.#held = by;
    if (kept !== undefined) await this.#session.secrets?.replace(this.#place, kept, by);
    else
      this.#session.tell?.(
        'warn',
        'The API has replaced the refresh token. It holds for this run; give the source a new one if later runs are refused.',
      );
  }
}
