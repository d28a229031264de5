import { OutsideError } from '../errors.ts';
import type { LoginKey } from './keys.ts';
import type { Transport } from './transport.ts';
import { byte, ProtocolError, SshReader, string, uint32 } from './wire.ts';

const SERVICE_REQUEST = 5;
const [REQUEST, FAILURE, SUCCESS, BANNER, QUESTION, RESPONSE] = [50, 51, 52, 53, 60, 61];
// A server that asks and asks would keep us without end.
const MAX_QUESTIONS = 10;

interface Credentials {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly key?: LoginKey | undefined;
  readonly prefix: string;
}

type Method = { name: 'publickey'; algorithm: string } | { name: 'password' } | { name: 'keyboard-interactive' };

/** Says who we are: by key, by password, or by the password as the answer to a question. */
export class Login {
  readonly #who: Credentials;
  readonly #transport: Transport;
  readonly #done: () => void;
  readonly #methods: Method[];
  #tried: Method | undefined;
  #questions = 0;

  constructor(who: Credentials, transport: Transport, done: () => void) {
    this.#who = who;
    this.#transport = transport;
    this.#done = done;
    const byKey = (who.key?.algorithms ?? []).map((algorithm): Method => ({ name: 'publickey', algorithm }));
    this.#methods = [
      ...byKey,
      ...(who.password === undefined ? [] : [{ name: 'password' } as const, { name: 'keyboard-interactive' } as const]),
    ];
  }

  ask(): void {
    this.#transport.send(Buffer.concat([byte(SERVICE_REQUEST), string('ssh-userauth')]));
  }

  begin(): void {
    this.#next(undefined);
  }

  take(message: Buffer): void {
    const reader = new SshReader(message, 1);
    switch (message[0]) {
      case SUCCESS:
        return this.#done();
      case FAILURE:
        return this.#next(reader.names());
      case BANNER:
        return;
      case QUESTION:
        return this.#answer(reader);
      default:
        throw new ProtocolError('a message comes before its time');
    }
  }

  /** Tries the next way that the server still offers. */
  #next(offered: readonly string[] | undefined): void {
    for (;;) {
      const method = this.#methods.shift();
      if (!method) throw this.#refused(offered ?? []);
      if (offered && !offered.includes(method.name)) continue;
      this.#tried = method;
      this.#transport.send(this.#request(method));
      return;
    }
  }

  #request(method: Method): Buffer {
    const { user, password = '', key } = this.#who;
    const head = Buffer.concat([byte(REQUEST), string(user), string('ssh-connection'), string(method.name)]);
    if (method.name === 'password') return Buffer.concat([head, byte(0), string(password)]);
    if (method.name === 'keyboard-interactive') return Buffer.concat([head, string(''), string('')]);
    const login = key as LoginKey;
    const request = Buffer.concat([head, byte(1), string(method.algorithm), string(login.blob)]);
    return Buffer.concat([request, string(login.sign(method.algorithm, Buffer.concat([string(this.#transport.session), request])))]);
  }

  #answer(reader: SshReader): void {
    const { user, password = '', prefix } = this.#who;
    if (this.#tried?.name === 'password')
      throw new OutsideError('auth', 'PASSWORD_EXPIRED', `The server wants ${user} to change the password first.`, {
        field: `${prefix}password`,
      });
    if (this.#tried?.name !== 'keyboard-interactive' || ++this.#questions > MAX_QUESTIONS)
      throw new ProtocolError('it asks what it may not');
    reader.string();
    reader.string();
    reader.string();
    const count = reader.uint32();
    if (count > MAX_QUESTIONS) throw new ProtocolError('it asks too much');
    const answers = Array.from({ length: count }, () => {
      reader.string();
      // What may be seen as it is typed is no password.
      return string(reader.boolean() ? '' : password);
    });
    this.#transport.send(Buffer.concat([byte(RESPONSE), uint32(count), ...answers]));
  }

  #refused(offered: readonly string[]): OutsideError {
    const { host, port, user, key, prefix } = this.#who;
    const ways = offered.length > 0 ? ` It takes: ${offered.join(', ').slice(0, 200)}.` : '';
    return new OutsideError('auth', 'LOGIN_REFUSED', `${host}:${port} does not let ${user} in.${ways}`, {
      field: `${prefix}${key ? 'private_key' : 'password'}`,
      hint: 'Check user, password and key, and that the server has the public key among those of the user.',
    });
  }
}
