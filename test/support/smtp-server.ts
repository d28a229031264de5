import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A mail as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header names in lower case; lines that belong together are joined. */
  headers: Map<string, string>;
  raw: string;
  /** The user that logged in, if one did. */
  user: string | undefined;
  isEncrypted: boolean;
}

/**
 * How the server behaves. `accept`: as it should. `closes`: in the middle of the mail. `swallows`: takes the mail and closes before it says so.
 * `drips`: a byte a second of an answer that never ends. `silent`: never says a word. Otherwise a step and what is answered there.
 */
export type SmtpMood =
  | 'accept'
  | 'closes'
  | 'swallows'
  | 'drips'
  | 'silent'
  | { greeting: string }
  | { mail: string }
  | { rcpt: (address: string) => string }
  | { data: string };

export interface SmtpOptions {
  /** What TLS is spoken with; STARTTLS is offered then, or, with `immediate`, it is spoken from the start. */
  tls?: { cert: string; key: string; immediate?: boolean };
  /** Who may log in; then nobody else may send. */
  login?: { user: string; password: string };
  port?: number;
}

export interface SmtpServer {
  readonly port: number;
  mood: SmtpMood;
  readonly mails: ReceivedMail[];
  /** How many connections came. */
  readonly connections: number;
  /** What a client did that no client may do. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** A small mail server that takes nothing that is not as RFC 5321 says, and tells what was not. */
export async function startSmtp({ tls, login, port = 0 }: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const faults: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const state = { mood: 'accept' as SmtpMood };
  const server = createServer((plain) => {
    connections++;
    sockets.add(plain);
    plain.on('close', () => sockets.delete(plain));
    plain.on('error', () => {});
    if (tls?.immediate) serve(secured(plain), true);
    else serve(plain, false);
  });
  const secured = (plain: Socket): TLSSocket => {
    const socket = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext(tls) });
    socket.on('error', () => {});
    return socket;
  };

  function serve(socket: Socket, isEncrypted: boolean, isUpgraded = false): void {
    const { mood } = state;
    let envelope: { from: string; to: string[] } | undefined;
    let user: string | undefined;
    let collecting: string[] | undefined;
    let asked: 'user' | 'password' | undefined;
    let claimed = '';
    let rest = '';
    const say = (text: string): void => void socket.write(`${text}\r\n`);
    const fault = (what: string): void => {
      faults.push(what);
      say(`500 ${what}`);
    };

    const finish = (lines: string[]): void => {
      const raw = lines.join('\r\n');
      if (mood === 'closes') return void socket.destroy();
      if (typeof mood === 'object' && 'data' in mood) return say(mood.data);
      if (envelope) mails.push({ ...envelope, headers: headersOf(raw, faults), raw, user, isEncrypted });
      if (mood === 'swallows') return void socket.destroy();
      envelope = undefined;
      say('250 2.0.0 kept');
    };
    const logIn = (name: string, password: string): void => {
      if (name !== login?.user || password !== login.password) return say('535 5.7.8 wrong user or password');
      user = name;
      say('235 2.7.0 welcome');
    };
    const command = (line: string): void => {
      const word = line.split(' ', 1)[0]?.toUpperCase();
      if (asked === 'user') {
        claimed = fromBase64(line);
        asked = 'password';
        return say('334 UGFzc3dvcmQ6');
      }
      if (asked === 'password') {
        asked = undefined;
        return logIn(claimed, fromBase64(line));
      }
      switch (word) {
        case 'EHLO':
          return say(
            [
              '250-localhost',
              ...(tls && !isEncrypted ? ['250-STARTTLS'] : []),
              ...(login && (isEncrypted || !tls) ? ['250-AUTH PLAIN LOGIN'] : []),
              '250 8BITMIME',
            ].join('\r\n'),
          );
        case 'HELO':
          return say('250 localhost');
        case 'STARTTLS':
          // A client that insists asks for it without an offer.
          if (!tls || isEncrypted) return say('502 5.5.1 no TLS here');
          say('220 go on');
          socket.removeAllListeners('data');
          return serve(secured(socket), true, true);
        case 'AUTH': {
          if (tls && !isEncrypted) return fault('a password in the open');
          const [, method, initial] = line.split(' ');
          if (method === 'LOGIN') {
            asked = 'user';
            return say('334 VXNlcm5hbWU6');
          }
          const [, name = '', password = ''] = fromBase64(initial ?? '').split('\0');
          return logIn(name, password);
        }
        case 'MAIL': {
          if (login && user === undefined) return say('530 5.7.0 log in first');
          if (typeof mood === 'object' && 'mail' in mood) return say(mood.mail);
          const [, from] = /^MAIL FROM:<([^<>\s]*)>( [A-Z0-9]+(=\S+)?)*$/i.exec(line) ?? [];
          if (from === undefined) return fault(`not a sender: ${line}`);
          envelope = { from, to: [] };
          return say('250 2.1.0 ok');
        }
        case 'RCPT': {
          const [, to] = /^RCPT TO:<([^<>\s]+@[^<>\s]+)>$/i.exec(line) ?? [];
          if (to === undefined || !envelope) return fault(`not a recipient: ${line}`);
          const answer = typeof mood === 'object' && 'rcpt' in mood ? mood.rcpt(to) : '250 2.1.5 ok';
          if (answer.startsWith('2')) envelope.to.push(to);
          return say(answer);
        }
        case 'DATA':
          if (!envelope || envelope.to.length === 0) return say('554 5.5.1 no recipients');
          collecting = [];
          return say('354 go on');
        case 'RSET':
          envelope = undefined;
          return say('250 2.0.0 ok');
        case 'NOOP':
          return say('250 2.0.0 ok');
        case 'QUIT':
          say('221 2.0.0 bye');
          return void socket.end();
        default:
          return fault(`not a command: ${line}`);
      }
    };

    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      rest += chunk;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        if (!line.endsWith('\r')) faults.push(`a line that ends without CR: ${line}`);
        const text = line.replace(/\r$/, '');
        if (Buffer.byteLength(text) > 998) faults.push('a line that is too long');
        if (!collecting) command(text);
        else if (text === '.') {
          const lines = collecting;
          collecting = undefined;
          finish(lines);
        } else {
          collecting.push(text.startsWith('.') ? text.slice(1) : text);
          if (mood === 'closes' && collecting.length > 3) socket.destroy();
        }
      }
    });
    if (isUpgraded || mood === 'silent') return;
    if (mood === 'drips') {
      const timer = setInterval(() => socket.write('2'), 500);
      socket.on('close', () => clearInterval(timer));
      return;
    }
    say(typeof mood === 'object' && 'greeting' in mood ? mood.greeting : '220 localhost ESMTP');
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get mood() {
      return state.mood;
    },
    set mood(mood: SmtpMood) {
      state.mood = mood;
    },
    mails,
    get connections() {
      return connections;
    },
    faults,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function headersOf(raw: string, faults: string[]): Map<string, string> {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name, value = ''] = /^([!-9;-~]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) faults.push(`not a header: ${line}`);
    else {
      if (/[^\x20-\x7e\t]/.test(value)) faults.push(`a header that is not ASCII: ${line}`);
      headers.set(name.toLowerCase(), value);
    }
  }
  for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'mime-version'])
    if (!headers.has(name)) faults.push(`no header ${name}`);
  return headers;
}
