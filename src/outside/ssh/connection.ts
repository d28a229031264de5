import { aborted, networkError, OutsideError } from '../errors.ts';
import type { Reach } from '../reach.ts';
import { Login } from './login.ts';
import { fingerprintOf, isPinned, type LoginKey } from './keys.ts';
import { Transport } from './transport.ts';
import { byte, ProtocolError, SshReader, string, uint32 } from './wire.ts';

const HANDSHAKE_MS = 20_000;
const WINDOW = 4 * 1024 * 1024;
const PACKET = 32 * 1024;
const [GLOBAL_REQUEST, REQUEST_FAILED] = [80, 82];
const [OPEN, OPENED, OPEN_FAILED, ADJUST, DATA, EXTENDED, END, CLOSE, REQUEST, DONE, FAILED] = [
  90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100,
];

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
export function openSubsystem(name: string, options: SshOptions, events: ChannelEvents, signal: AbortSignal): Promise<SshChannel> {
  if (signal.aborted) throw aborted();
  const { reach, host, port } = options;
  const { promise, resolve, reject } = Promise.withResolvers<SshChannel>();
  const socket = reach.socket();
  let fingerprint = '';
  let isOpen = false;
  /** The number of the channel at the other side, and how much it takes. */
  let remote = 0;
  let room = 0;
  let largest = PACKET;
  let unread = 0;
  const waiting: (() => void)[] = [];
  const wake = (): void => {
    for (const one of waiting.splice(0)) one();
  };
  const over = (error: Error): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    const told = signal.aborted ? aborted() : inWords(error, options);
    if (isOpen) events.onEnd(told);
    else reject(told);
    isOpen = false;
    wake();
  };
  const stop = (): void => (transport ? transport.end(aborted()) : void socket.destroy(aborted()));
  const timer = setTimeout(() => (transport ? transport.end(timedOut()) : socket.destroy(timedOut())), HANDSHAKE_MS);
  let transport: Transport | undefined;
  let login: Login | undefined;

  const channel: SshChannel = {
    get fingerprint() {
      return fingerprint;
    },
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        if (!isOpen) return;
        const length = Math.min(bytes.length - at, room, largest);
        if (length === 0) {
          await new Promise<void>((done) => waiting.push(done));
          continue;
        }
        room -= length;
        const isTaken = transport?.send(Buffer.concat([byte(DATA), uint32(remote), string(bytes.subarray(at, at + length))]));
        at += length;
        if (isTaken === false && isOpen) await new Promise<void>((done) => waiting.push(done));
      }
    },
    close: () => {
      isOpen = false;
      wake();
      socket.end();
      transport?.end(aborted());
    },
  };
  const receive = (bytes: Buffer): void => {
    unread += bytes.length;
    if (unread > WINDOW) throw new ProtocolError('it sends more than it may');
    if (unread >= WINDOW / 2) {
      transport?.send(Buffer.concat([byte(ADJUST), uint32(remote), uint32(unread)]));
      unread = 0;
    }
  };
  const onMessage = (message: Buffer): void => {
    const reader = new SshReader(message, 1);
    const kind = message[0] as number;
    if (kind >= 50 && kind < 80) return login?.take(message);
    switch (kind) {
      case 6:
        return login?.begin();
      case GLOBAL_REQUEST: {
        reader.string();
        if (reader.boolean()) transport?.send(byte(REQUEST_FAILED));
        return;
      }
      case OPENED: {
        reader.uint32();
        [remote, room, largest] = [reader.uint32(), reader.uint32(), Math.min(reader.uint32(), PACKET)];
        if (largest === 0) throw new ProtocolError('it takes no bytes at all');
        transport?.send(Buffer.concat([byte(REQUEST), uint32(remote), string('subsystem'), byte(1), string(name)]));
        return;
      }
      case OPEN_FAILED:
        throw new OutsideError('auth', 'CHANNEL_REFUSED', `${host}:${port} lets ${options.user} in, but refuses a session.`);
      case DONE:
        if (isOpen) return;
        clearTimeout(timer);
        isOpen = true;
        return resolve(channel);
      case FAILED:
        throw new OutsideError('config', 'SUBSYSTEM_MISSING', `${host}:${port} does not offer ${name} to ${options.user}.`, {
          hint: `Switch ${name} on in the SSH server, or choose another user.`,
        });
      case ADJUST:
        reader.uint32();
        room = Math.min(room + reader.uint32(), 0xffffffff);
        return wake();
      case DATA: {
        reader.uint32();
        const bytes = reader.string();
        receive(bytes);
        return events.onData(bytes);
      }
      case EXTENDED:
        reader.uint32();
        reader.uint32();
        return receive(reader.string());
      case END:
        return;
      case CLOSE:
        throw Object.assign(new Error('it ended the session'), { code: 'ECONNRESET' });
      case REQUEST: {
        reader.uint32();
        reader.string();
        if (reader.boolean()) transport?.send(Buffer.concat([byte(FAILED), uint32(remote)]));
        return;
      }
      default:
        return;
    }
  };
  socket.once('error', over);
  socket.connect(port, host);
  socket.once('connect', () => {
    socket.off('error', over);
    socket.setNoDelay(true);
    transport = new Transport({
      socket,
      judgeHost: (blob) => {
        const found = fingerprintOf(blob);
        if (options.hostKey !== undefined && !isPinned(blob, options.hostKey)) throw wrongHost(options, found);
        if (fingerprint !== '' && fingerprint !== found) throw wrongHost(options, found);
        fingerprint = found;
      },
      onReady: () => {
        login = new Login(options, transport as Transport, () =>
          transport?.send(Buffer.concat([byte(OPEN), string('session'), uint32(0), uint32(WINDOW), uint32(PACKET)])),
        );
        login.ask();
      },
      onMessage,
      onEnd: over,
    });
    socket.on('drain', wake);
  });
  signal.addEventListener('abort', stop, { once: true });
  return promise;
}

function timedOut(): Error {
  return Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' });
}

function wrongHost({ host, port, prefix, hostKey }: SshOptions, found: string): OutsideError {
  return new OutsideError(
    'config',
    'HOST_KEY_WRONG',
    `${host}:${port} has another host key than ${hostKey === undefined ? 'a moment ago' : 'the one that is set'}: ${found}.`,
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
  return new OutsideError('transient', 'CONNECTION_LOST', `${where} ended the connection: ${error.message || 'without a word'}.`, {
    cause: error,
  });
}
