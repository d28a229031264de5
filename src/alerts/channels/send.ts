import { visible } from '../../lib/check.ts';
import { sentences } from '../../lib/sentence.ts';
import { OutsideError } from '../../outside/errors.ts';
import { type Reach, reachOf } from '../../outside/reach.ts';
import type { AlertChannel } from '../alert.ts';
import { withoutSecrets } from './redact.ts';
import { type AlertMessage, tellingOf } from './telling.ts';

/** How a try to send a message ended. */
export type Sent =
  | { readonly delivered: true /** What was not quite right, in words. */; readonly remark: string | null }
  | {
      readonly delivered: false;
      readonly error: string /** Seconds after which the other side wants to be asked again. */;
      readonly retryAfter: number;
    };

export interface Sender {
  send(channel: AlertChannel, message: AlertMessage, signal: AbortSignal): Promise<Sent>;
}

/** However slow the other side is, one try takes no longer, in milliseconds. */
const SENDING_TIME = 30_000;
const MAX_ERROR = 1000;

export interface SenderOptions {
  /** Which networks may be reached: SYNCLINE_NETWORKS. */
  networks: string;
  /** Where people find the page. */
  publicUrl: string | undefined;
  /** Milliseconds; for tests. */
  time?: number;
}

export function createSender({ networks, publicUrl, time = SENDING_TIME }: SenderOptions): Sender {
  const reach: Reach = reachOf(networks);
  return {
    send: async (channel, message, signal) => {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(time)]);
      try {
        const telling = tellingOf(message, publicUrl);
        // Only when there is something to send: most services never mail, and many never tell anybody.
        if (channel.type !== 'email') {
          const { sendOverHttp } = await import('./http.ts');
          await sendOverHttp({ reach, channel, message, telling, publicUrl, time }, bounded);
          return { delivered: true, remark: null };
        }
        const { sendMail } = await import('./email.ts');
        return { delivered: true, remark: await sendMail({ reach, channel, message, telling, time }, bounded) };
      } catch (error) {
        const isLate = bounded.aborted && !signal.aborted;
        const words = isLate ? `It took longer than ${time / 1000} s.` : withoutSecrets(channel, wordsOf(error));
        return { delivered: false, error: short(words), retryAfter: error instanceof OutsideError ? (error.retryAfter ?? 0) : 0 };
      }
    },
  };
}

function wordsOf(error: unknown): string {
  // What to do is never cut off: what the other side has said may be long.
  if (error instanceof OutsideError)
    return sentences([short(error.message, MAX_ERROR - Math.min(MAX_ERROR / 2, (error.hint ?? '').length + 2)), error.hint]);
  return `It failed: ${error instanceof Error ? error.message : String(error)}`;
}

function short(text: string, most = MAX_ERROR): string {
  const line = visible(text.replaceAll(/\s+/gu, ' ')).trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}
