import { connect, type Socket } from 'node:net';

// A client that sends any bytes at all: fetch and node:http are too polite for what the tests want to send.

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  text: string;
}

const TIMEOUT = 20_000;

/** Bytes of a request. Content-Length is added unless the headers tell the length themselves. */
export function requestBytes(method: string, target: string, headers: Record<string, string>, body?: Buffer | string): Buffer {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: syncline.test',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const told = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name));
  if (bytes && !told) lines.push(`Content-Length: ${bytes.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return bytes ? Buffer.concat([head, bytes]) : head;
}

/** One connection: answers come out one by one, whatever was written. */
export class RawConnection {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake?.();
    });
    // An answer may come although the writing failed; the caller that waits for one learns of the failure when none came.
    this.socket.on('error', (error) => {
      this.#failure = error;
    });
    this.socket.on('close', () => {
      this.#ended = true;
      this.#wake?.();
    });
  }

  get usable(): boolean {
    return !this.#ended;
  }

  write(bytes: Buffer | string): void {
    this.socket.write(bytes);
  }

  close(): void {
    this.socket.destroy();
  }

  /** The next answer. Throws when the connection ends before it is complete, or nothing comes for a long time. */
  async answer(options: { head?: boolean; timeout?: number } = {}): Promise<RawAnswer> {
    const expired = setTimeout(() => this.socket.destroy(new Error('No answer came in time.')), options.timeout ?? TIMEOUT);
    try {
      for (;;) {
        const parsed = parse(this.#received, options.head ?? false, this.#ended);
        if (parsed) {
          this.#received = this.#received.subarray(parsed.length);
          if (parsed.answer.headers.get('connection') === 'close') this.#ended = true;
          return parsed.answer;
        }
        if (this.#ended)
          throw new Error(`The connection ended without an answer: ${this.#failure?.message ?? this.#received.toString('latin1')}`);
        await this.#more();
      }
    } finally {
      clearTimeout(expired);
    }
  }

  /** Resolves when the other side has closed the connection, with all that it sent and nobody read. */
  async ended(): Promise<string> {
    while (!this.#ended) await this.#more();
    return this.#received.toString('latin1');
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function parse(bytes: Buffer, isHead: boolean, ended: boolean): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const status = Number(first.split(' ')[1]);
  const start = end + 4;
  const done = (text: string, length: number) => ({ answer: { status, headers, text }, length });
  if (isHead || status === 100) return done('', start);
  const told = headers.get('content-length');
  if (told !== undefined) {
    const length = start + Number(told);
    return bytes.length < length ? undefined : done(bytes.toString('utf8', start, length), length);
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks = readChunks(bytes, start);
    return chunks && done(Buffer.concat(chunks.parts).toString(), chunks.length);
  }
  return ended ? done(bytes.toString('utf8', start), bytes.length) : undefined;
}

function readChunks(bytes: Buffer, start: number): { parts: Buffer[]; length: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const next = line + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { parts, length: next };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = next;
  }
}

/** Connections that are kept and used in turn; `send` may be called as often at the same time as there are connections. */
export class RawPool {
  readonly #port: number;
  #idle: RawConnection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  async send(bytes: Buffer, options?: { head?: boolean }): Promise<RawAnswer> {
    let connection = this.#idle.pop();
    while (connection && !connection.usable) connection = this.#idle.pop();
    connection ??= new RawConnection(this.#port);
    connection.write(bytes);
    const answer = await connection.answer(options);
    if (connection.usable) this.#idle.push(connection);
    else connection.close();
    return answer;
  }

  close(): void {
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
  }
}

/** Does the work for every item, so many at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  workers: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
