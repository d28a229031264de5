import type { IncomingHttpHeaders } from 'node:http';
import { parseExactly } from '../../../../lib/exact-json.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import type { Answer } from '../../../../outside/http/exchange.ts';
import { megabytes } from '../../../../outside/http/words.ts';

/** A page is parsed as a whole: larger ones would not fit into the memory of a run. */
const MAX_PAGE = 64 * 1024 * 1024;

/** What came back, read as a whole unless it is to be streamed. */
export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: URL;
  readonly #body: Buffer | undefined;
  readonly #answer: Answer | undefined;
  #json: { value: unknown } | undefined;
  #lowest: Readonly<Record<string, unknown>> | undefined;

  constructor(head: { status: number; headers: IncomingHttpHeaders; url: URL }, body: Buffer | undefined, answer?: Answer) {
    this.status = head.status;
    this.headers = joined(head.headers);
    this.url = head.url;
    this.#body = body;
    this.#answer = answer;
  }

  /** The API took it. */
  get isGood(): boolean {
    return this.status < 400;
  }

  get bytes(): Buffer {
    return this.#body ?? Buffer.alloc(0);
  }

  get text(): string {
    return decoded(this.bytes);
  }

  /** The body as JSON, parsed once for all who ask; undefined when it is none. */
  json(): unknown {
    if (!this.#json) {
      const text = this.text;
      let value: unknown;
      try {
        value = parseExactly(text);
      } catch {
        value = undefined;
      }
      this.#json = { value };
    }
    return this.#json.value;
  }

  /** The body as it comes; of one that was read already, all at once. */
  async *chunks(): AsyncGenerator<Buffer> {
    if (this.#answer) yield* this.#answer.body;
    else if (this.#body) yield this.#body;
  }

  /** Headers as expressions see them: whatever the case of the letters. */
  get shownHeaders(): Readonly<Record<string, unknown>> {
    return (this.#lowest ??= caseless(this.headers));
  }

  /** The same, with the links of the header `link` by their relation. */
  get pagingHeaders(): Readonly<Record<string, unknown>> {
    return caseless({ ...this.headers, link: linksOf(this.headers['link'] ?? '') });
  }

  discard(): void {
    this.#answer?.discard();
  }
}

/** Some servers write a byte order mark, though JSON has none. */
function decoded(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

export async function readWhole(answer: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_PAGE) {
      answer.discard();
      throw new OutsideError('config', 'RESPONSE_TOO_LARGE', `${answer.url.host} sent a page of more than ${megabytes(MAX_PAGE)} MB.`, {
        field: 'settings',
        hint: 'Have the manifest ask for smaller pages.',
      });
    }
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  return result;
}

function caseless(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const find = (name: string | symbol): string | symbol => (typeof name === 'string' ? name.toLowerCase() : name);
  return new Proxy<Readonly<Record<string | symbol, unknown>>>(members, {
    has: (target, name) => Object.hasOwn(target, find(name)),
    get: (target, name) => (Object.hasOwn(target, find(name)) ? target[find(name)] : undefined),
    getOwnPropertyDescriptor: (target, name) =>
      Object.hasOwn(target, find(name)) ? { value: target[find(name)], enumerable: true, configurable: true } : undefined,
  });
}

const LINK = /<([^>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"[^"]*"|[^\s;,]+))?)*)/g;
const LINK_PARAMETER = /;\s*([^\s=;,]+)\s*=\s*(?:"([^"]*)"|([^\s;,]+))/g;

/** `<https://…>; rel="next"` as `{next: {url, rel}}`. */
function linksOf(header: string): Record<string, unknown> {
  const links: Record<string, unknown> = {};
  for (const [, url = '', rest = ''] of header.matchAll(LINK)) {
    const link: Record<string, string> = { url };
    for (const [, name = '', quoted, plain] of rest.matchAll(LINK_PARAMETER)) link[name] = quoted ?? plain ?? '';
    links[link['rel'] ?? url] = link;
  }
  return links;
}
