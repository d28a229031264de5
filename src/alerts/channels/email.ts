import type { Socket } from 'node:net';
import { authoritiesWith } from '../../outside/authorities.ts';
import { networkError, OutsideError } from '../../outside/errors.ts';
import type { Reach } from '../../outside/reach.ts';
import type { AlertChannel } from '../alert.ts';
import { type Mailbox, mailboxOf, type MailServer, mailServerOf } from '../check.ts';
import { quotable } from './redact.ts';
import { htmlBody } from './shapes.ts';
import { type AlertMessage, plainText, short, type Telling } from './telling.ts';

type EmailChannel = Extract<AlertChannel, { type: 'email' }>;

export interface MailSending {
  reach: Reach;
  channel: EmailChannel;
  message: AlertMessage;
  telling: Telling;
  /** Milliseconds in all. */
  time: number;
}

interface MailError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

const MAX_SUBJECT = 180;

/** Mails a message. Answers what was not quite right, in words; throws when no recipient was taken. */
export async function sendMail({ reach, channel, message, telling, time }: MailSending, signal: AbortSignal): Promise<string | null> {
  const server = mailServerOf(channel.smtp_url);
  const from = mailboxOf(channel.from);
  if (!server || !from)
    throw new OutsideError('config', 'CHANNEL_INVALID', 'The mail server or the sender of this alert is not valid any more.');
  signal.throwIfAborted();
  const socket = await connected(reach, server, signal);
  // Only those who mail pay for it.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: server.host,
    port: server.port,
    // Over the socket that was judged, and over no other.
    getSocket: (_: unknown, callback: (error: Error | null, given: { connection: Socket }) => void) =>
      callback(null, { connection: socket }),
    ...tlsOptions(server, channel.ca),
    ...(server.user !== '' && { auth: { user: server.user, pass: server.password } }),
    // Before the whole time is over, so that it can be said what was missing.
    greetingTimeout: time / 2,
    socketTimeout: time,
    connectionTimeout: time,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const stop = (): void => {
    socket.destroy();
    transport.close();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { rejected } = await transport.sendMail(mailOf(from, channel, message, telling));
    return rejected.length === 0 ? null : `The server refused ${rejected.join(', ')}; the others got it.`;
  } catch (error) {
    throw explained(error as MailError, server, channel);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** A socket to the server. Where it leads to is judged on the address that was connected to. */
function connected(reach: Reach, { host, port }: MailServer, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = reach.socket();
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', stop);
      reject(networkError(error, host, port) ?? (error as Error));
    };
    const stop = (): void => void socket.destroy(new Error('The work was stopped.'));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', fail);
    socket.connect({ host, port });
    socket.once('connect', () => {
      // The judge comes first, and destroys what leads astray.
      if (socket.destroyed) return;
      signal.removeEventListener('abort', stop);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/**
 * A password is never sent in the open, nor to a server that cannot prove its name. Where there is none, a connection that is encrypted for
 * whichever server answers is better than one that is not.
 */
function tlsOptions({ isSecure, password }: MailServer, ca: string | null): Record<string, unknown> {
  const mustBeSure = isSecure || password !== '' || ca !== null;
  return {
    secure: isSecure,
    requireTLS: !isSecure && mustBeSure,
    tls: { rejectUnauthorized: mustBeSure, minVersion: 'TLSv1.2', ...(ca !== null && { ca: authoritiesWith(ca) }) },
  };
}

function mailOf(from: Mailbox, { to }: EmailChannel, message: AlertMessage, telling: Telling): Record<string, unknown> {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const incident = message.incident?.id;
  return {
    from,
    to: to.flatMap((one) => mailboxOf(one) ?? []),
    subject: short(`[Syncline] ${telling.headline}`, MAX_SUBJECT),
    // The same one however often it is sent: a double can be told.
    messageId: `<${message.id}@${domain}>`,
    // Mail programs show all messages of an incident as one conversation.
    ...(incident !== undefined && { references: [`<${incident}@${domain}>`], inReplyTo: `<${incident}@${domain}>` }),
    date: new Date(message.at),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Syncline-Message': message.id,
      ...(incident !== undefined && { 'X-Syncline-Incident': incident }),
    },
    text: `${plainText(telling)}\n`,
    html: htmlBody(telling),
  };
}

function explained(error: MailError, { host, port, isSecure }: MailServer, channel: EmailChannel): Error {
  if (isSecure && /wrong version number|packet length too long/i.test(error.message))
    return new OutsideError('config', 'MAIL_TLS_FAILED', `The mail server ${host} does not speak TLS from the start on port ${port}.`, {
      hint: 'Write smtp:// instead of smtps:// in smtp_url: it changes to TLS (STARTTLS). Or give the port that speaks TLS from the start, mostly 465.',
    });
  const { code = '', responseCode, response } = error;
  // The connection is there already: it is the server that says nothing.
  if (code === 'ETIMEDOUT')
    return new OutsideError('transient', 'TIMEOUT', `The mail server ${host} did not answer in time.`, {
      ...(!isSecure && {
        hint: `If it speaks TLS from the start on port ${port}, as most do on 465, write smtps:// instead of smtp:// in smtp_url.`,
      }),
    });
  const network = networkError(error, host, port);
  if (network) return network;
  const said = response === undefined ? '' : ` It said: ${short(quotable(channel, response), 300)}`;
  if (code === 'EAUTH')
    return new OutsideError('auth', 'MAIL_LOGIN_REFUSED', `The mail server ${host} refused the user or the password.${said}`, {
      hint: 'Check both in smtp_url; write @ : / ? # in them as %40 %3A %2F %3F %23.',
    });
  if (code === 'ETLS' || /certificate|\bTLS\b|\bSSL\b|self.signed|altname/i.test(error.message))
    return new OutsideError(
      'config',
      'MAIL_TLS_FAILED',
      `The mail server ${host} and Syncline could not agree on TLS: ${error.message.replace(/;.*|\.$/s, '')}.`,
      {
        hint: 'Check the name in smtp_url and the certificate of the server; give the certificate of its own authority in ca. smtps:// speaks TLS from the start, smtp:// changes to it.',
      },
    );
  if (responseCode !== undefined)
    return new OutsideError(
      responseCode < 500 ? 'transient' : 'config',
      'MAIL_REFUSED',
      `The mail server ${host} answered ${responseCode}.${said}`,
    );
  return new OutsideError(
    'transient',
    'MAIL_FAILED',
    `The mail server ${host} did not take the message: ${error.message.replace(/\.$/, '')}.`,
  );
}
