import { OutsideError } from '../../outside/errors.ts';
import { readText } from '../../outside/http/body.ts';
import { createHttpClient } from '../../outside/http/client.ts';
import { explainWith } from '../../outside/http/words.ts';
import type { Reach } from '../../outside/reach.ts';
import { signatureHeaders } from '../../webhooks/signature.ts';
import type { AlertChannel } from '../alert.ts';
import { incidentJson } from '../render.ts';
import { quotable } from './redact.ts';
import { discordBody, mattermostBody, slackBody, teamsBody } from './shapes.ts';
import type { AlertMessage, Telling } from './telling.ts';

const MAX_ANSWER = 64 * 1024;
const MAX_QUOTE = 300;
const LONGEST_WISH = 24 * 3600;

type HttpChannel = Exclude<AlertChannel, { type: 'email' }>;

export interface HttpSending {
  reach: Reach;
  channel: HttpChannel;
  message: AlertMessage;
  telling: Telling;
  publicUrl: string | undefined;
  /** Milliseconds in all. */
  time: number;
}

const EXPLAIN = explainWith({
  who: 'The receiver',
  address: 'channel.url',
  addressInWords: 'the address of the channel',
  authority: 'NODE_EXTRA_CA_CERTS',
  slowHint: 'Check that the receiver is well.',
  large: { field: 'channel.url', hint: 'Check the address of the channel.' },
});

/** Posts a message in the shape of its channel. Throws when it was not taken. */
export async function sendOverHttp({ reach, channel, message, telling, time }: HttpSending, signal: AbortSignal): Promise<void> {
  const bounds = { timeout: time, total: time, bytes: MAX_ANSWER, bytesPerSecond: 0, pace: 'so far' } as const;
  const client = createHttpClient({ reach, keepsConnections: false, unpacks: false, bounds, explain: EXPLAIN });
  const { body, headers } = requestOf(channel, message, telling);
  try {
    const url = new URL(channel.url);
    const sent = { 'content-type': 'application/json', 'user-agent': 'Syncline', ...headers };
    const answer = await client.send({ method: 'POST', url, headers: sent, body: Buffer.from(body) }, signal);
    // A redirect is not followed: it would lead the message to where nobody has sent it.
    const said = await readText(answer, MAX_ANSWER);
    if (answer.status >= 200 && answer.status < 300) return;
    throw refusal(answer.status, quotable(channel, said), answer.headers['retry-after']);
  } finally {
    client.close();
  }
}

function requestOf(channel: HttpChannel, message: AlertMessage, telling: Telling): { body: string; headers: Record<string, string> } {
  switch (channel.type) {
    case 'slack':
      return { body: JSON.stringify(slackBody(telling)), headers: {} };
    case 'discord':
      return { body: JSON.stringify(discordBody(telling)), headers: {} };
    case 'mattermost':
      return { body: JSON.stringify(mattermostBody(telling)), headers: {} };
    case 'teams':
      return { body: JSON.stringify(teamsBody(telling)), headers: {} };
    default: {
      const body = webhookBody(message, telling);
      const secrets = [{ id: message.alert.id, secret: channel.secret, expiresAt: null }];
      return { body, headers: signatureHeaders({ secrets }, message.id, Math.floor(Date.parse(message.at) / 1000), body) };
    }
  }
}

/** Standard Webhooks: type, time and data, and the same id however often it is sent. */
function webhookBody({ kind, alert, incident, at }: AlertMessage, { headline, text, link }: Telling): string {
  const type = incident ? `incident.${kind}` : 'alert.test';
  const about = JSON.stringify({ type, timestamp: at });
  const data = JSON.stringify({ alert: { id: alert.id, name: alert.name }, headline, text, link });
  return `${about.slice(0, -1)},"data":${data.slice(0, -1)},"incident":${incident ? incidentJson(incident) : 'null'}}}`;
}

function refusal(status: number, said: string, retryAfter: string | undefined): OutsideError {
  const quote = said.trim() === '' ? '' : ` It said: ${said.trim().slice(0, MAX_QUOTE)}`;
  const message = `The receiver answered ${status}.${quote}`;
  if (status >= 300 && status < 400)
    return new OutsideError('config', 'REDIRECTED', message, { hint: 'Redirects are not followed: give the address that it leads to.' });
  const isPassing = status === 429 || status >= 500;
  const hint = isPassing ? {} : { hint: 'Check the address of the channel: it may have been removed, or made for something else.' };
  return new OutsideError(isPassing ? 'transient' : 'config', 'REFUSED', message, { ...hint, retryAfter: secondsOf(retryAfter) });
}

function secondsOf(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), LONGEST_WISH) : 0;
}
