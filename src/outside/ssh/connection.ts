import { aborted, networkError, OutsideError } from '../errors.ts';
import type { Reach } from '../reach.ts';
import { SessionChannel } from './channel.ts';
import { fingerprintOf, hostKeyAlgorithmsFor, isOfType, isPinned, keyTypeOf, type LoginKey } from './keys.ts';
import { Login } from './login.ts';
import { type Renewal, Transport } from './transport.ts';
import { byte, ProtocolError, SshReader } from './wire.ts';

const HANDSHAKE_MS = 20_000;
const [SERVICE_ACCEPTED, GLOBAL_REQUEST, REQUEST_DONE, REQUEST_FAILED] = [6, 80, 81, 82];

export interface SshOptions {
  readonly reach: Reach;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly key?: LoginKey | undefined;
  /** The key that the server has to prove; without it, any is taken. */
  readonly hostKey?: string | undefined;
  /** What goes before the names of members in errors, such as `place.`. */
  readonly prefix: string;
  /** When new keys are agreed on. */
  readonly renewal?: Renewal;
}

/** A program at the other side that is spoken to by bytes. */
export interface SshChannel {
  /** The fingerprint of the server's host key. */
  readonly fingerprint: string;
  /** Resolves when there is room for more. */
  write(bytes: Buffer): Promise<void>;
  close(): void;
}

interface ChannelEvents {
  onData(bytes: Buffer): void;
  /** It is over; called once. */
  onEnd(error: OutsideError): void;
}

/** Connects, logs in and starts a subsystem such as `sftp`. */
export async function openSubsystem(name: string, options: SshOptions, events: ChannelEvents, signal: AbortSignal): Promise<SshChannel> {
  let algorithms = hostKeyAlgorithmsFor(options.hostKey);
  let first: unknown;
  for (;;) {
    let others: readonly string[] = [];
    try {
      return await connect(name, options, algorithms, (offered) => (others = offered), events, signal);
    } catch (error) {
      first ??= error;
      // A server may have several keys, and a fingerprint does not tell of which type it is. So it is asked for the others, too.
      if (others.length === 0) throw first;
      algorithms = others;
    }
  }
}

/** `onOther` is told how the server could prove keys of other types, when it proved one that is not wanted. */
function connect(
  name: string,
  options: SshOptions,
  algorithms: readonly string[],
  onOther: (algorithms: readonly string[]) => void,
  events: ChannelEvents,
  signal: AbortSignal,
): Promise<SshChannel> {
  if (signal.aborted) throw aborted();
  const { reach, host, port, user } = options;
  const { promise, resolve, reject } = Promise.withResolvers<SshChannel>();
  const socket = reach.socket();
  let fingerprint = '';
  let transport: Transport | undefined;
  let login: Login | undefined;
  let channel: SessionChannel | undefined;
  const over = (error: Error): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    const told = signal.aborted ? aborted() : (login?.refusalIn(error) ?? inWords(error, options));
    if (channel?.isOpen) events.onEnd(told);
    else reject(told);
    channel?.end();
  };
  const end = (error: Error): void => (transport ? transport.end(error) : void socket.destroy(error));
  const stop = (): void => end(aborted());
  const timer = setTimeout(() => end(timedOut()), HANDSHAKE_MS);

  const judgeHost = (blob: Buffer, offered: readonly string[]): void => {
    const found = fingerprintOf(blob);
    const isFirst = fingerprint === '';
    if (isFirst ? options.hostKey === undefined || isPinned(blob, options.hostKey) : fingerprint === found) {
      fingerprint = found;
      return;
    }
    if (isFirst) onOther(algorithms.filter((one) => offered.includes(one) && !isOfType(one, keyTypeOf(blob))));
    throw wrongHost(options, found, isFirst);
  };
  const begin = (): void => {
    socket.off('error', over);
    socket.setNoDelay(true);
    const way = new Transport({
      socket,
      algorithms,
      renewal: options.renewal,
      judgeHost,
      onReady: () => login?.ask(),
      onMessage: (message) => take(way, message),
      onEnd: over,
    });
    transport = way;
    const opened = new SessionChannel({
      transport: way,
      where: `${host}:${port}`,
      user,
      subsystem: name,
      onOpen: () => {
        clearTimeout(timer);
        resolve({
          get fingerprint() {
            return fingerprint;
          },
          write: (bytes) => opened.write(bytes),
          close: () => {
            opened.end();
            socket.end();
            way.end(aborted());
          },
        });
      },
      onData: (bytes) => events.onData(bytes),
    });
    channel = opened;
    login = new Login(options, way, () => opened.begin());
    socket.on('drain', () => opened.wake());
  };
  const take = (way: Transport, message: Buffer): void => {
    const kind = message[0] as number;
    if (kind === SERVICE_ACCEPTED) return login?.begin();
    if (kind >= 50 && kind < 80) return login?.take(message);
    if (kind === REQUEST_DONE || kind === REQUEST_FAILED) return;
    if (kind === GLOBAL_REQUEST) {
      const reader = new SshReader(message, 1);
      reader.string();
      if (reader.boolean()) way.reply(byte(REQUEST_FAILED));
      return;
    }
    if (!channel?.take(message)) way.refuse();
  };
  socket.once('error', over);
  socket.once('connect', begin);
  socket.connect(port, host);
  signal.addEventListener('abort', stop, { once: true });
  return promise;
}

function timedOut(): Error {
  return Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });
}

function wrongHost({ host, port, prefix }: SshOptions, found: string, isFirst: boolean): OutsideError {
  return new OutsideError(
    'config',
    'HOST_KEY_WRONG',
    `${host}:${port} has another host key than ${isFirst ? 'the one that is set' : 'a moment ago'}: ${found}.`,
    {
      field: `${prefix}host_key`,
      hint: 'Something may stand between. If the server was set up anew, and only then, set host_key to this.',
    },
  );
}

/** What the end of a connection means. */
function inWords(error: Error, { host, port, prefix }: SshOptions): OutsideError {
  const where = `${host}:${port}`;
  if (error instanceof ProtocolError)
    return new OutsideError('config', 'NOT_SSH', `What answers at ${where} does not speak SSH as it should: ${error.message}.`, {
      field: `${prefix}port`,
      hint: 'Check host and port, and the settings of the SSH server.',
      cause: error,
    });
  const known = networkError(error, host, port);
  if (known)
    return new OutsideError(known.kind, known.code, known.message, {
      ...(known.field !== undefined && { field: known.field.startsWith(prefix) ? known.field : `${prefix}${known.field}` }),
      ...(known.hint !== undefined && { hint: known.hint }),
      cause: error,
    });
  return new OutsideError('transient', 'CONNECTION_LOST', `The connection to ${where} ended: ${error.message || 'without a word'}.`, {
    cause: error,
  });
}
