import { OutsideError } from '../errors.ts';
import type { LoginKey } from './keys.ts';
import type { Transport } from './transport.ts';
import { byte, printable, ProtocolError, SshReader, string, uint32 } from './wire.ts';

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

type Method = { name: 'publickey'; algorithm: string } | { name: 'none' } | { name: 'password' } | { name: 'keyboard-interactive' };

// A server that ends the connection because it has heard enough.
const NO_MORE_METHODS = 14;

/** Says who we are: by key, by password, or by the password as the answer to a question. */
export class Login {
  readonly #who: Credentials;
  readonly #transport: Transport;
  readonly #done: () => void;
  readonly #methods: Method[];
  #stage: 'new' | 'asked' | 'trying' | 'done' = 'new';
  #tried: Method | undefined;
  #offered: readonly string[] = [];
  #questions = 0;
  #isTold = false;

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
    this.#stage = 'asked';
    this.#transport.send(Buffer.concat([byte(SERVICE_REQUEST), string('ssh-userauth')]));
  }

  begin(): void {
    if (this.#stage !== 'asked') throw new ProtocolError('a message comes before its time');
    this.#stage = 'trying';
    // It lets nobody in, but tells what there is.
    this.#try({ name: 'none' });
  }

  take(message: Buffer): void {
    if (this.#stage !== 'trying') throw new ProtocolError('a message comes before its time');
    const reader = new SshReader(message, 1);
    switch (message[0]) {
      case SUCCESS:
        this.#stage = 'done';
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

  /** What the end of the connection says about the log-in; undefined when it is nothing. */
  refusalIn(error: Error): OutsideError | undefined {
    if (this.#stage !== 'trying' || !('reason' in error)) return undefined;
    return error.reason === NO_MORE_METHODS || /authentication/i.test(error.message) ? this.#refused() : undefined;
  }

  /** Tries the next way that the server offers now. What it does not offer may come later: some want a key and then a password, or the other way round. */
  #next(offered: readonly string[]): void {
    this.#offered = offered;
    const at = this.#methods.findIndex(({ name }) => offered.includes(name));
    const [method] = at === -1 ? [] : this.#methods.splice(at, 1);
    if (!method) throw this.#refused();
    this.#try(method);
  }

  #try(method: Method): void {
    this.#tried = method;
    this.#transport.send(this.#request(method));
  }

  #request(method: Method): Buffer {
    const { user, password = '', key } = this.#who;
    const head = Buffer.concat([byte(REQUEST), string(user), string('ssh-connection'), string(method.name)]);
    if (method.name === 'none') return head;
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
      if (reader.boolean()) return string('');
      // The second time it is a code, or a new password: ours is no answer to that.
      if (this.#isTold) throw this.#refused(' It asks for more than a password.');
      this.#isTold = true;
      return string(password);
    });
    this.#transport.send(Buffer.concat([byte(RESPONSE), uint32(count), ...answers]));
  }

  #refused(why = ''): OutsideError {
    const { host, port, user, key, prefix } = this.#who;
    const offered = printable(this.#offered.join(', '));
    const ways = offered === '' ? '' : ` It takes: ${offered}.`;
    return new OutsideError('auth', 'LOGIN_REFUSED', `${host}:${port} does not let ${user} in.${why}${ways}`, {
      field: `${prefix}${key ? 'private_key' : 'password'}`,
      hint: 'Check user, password and key, and that the server has the public key among those of the user.',
    });
  }
}
