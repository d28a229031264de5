import { textAt, typeOf, type Part, partOf, unknownPart } from '../parts.ts';
import type { Reply } from '../request/reply.ts';
import type { AirbyteSession } from '../session.ts';
import { csvRows } from './csv.ts';
import { unpackedGzip } from './gzip.ts';
import { jsonItems } from './json-items.ts';
import { jsonLines, textLines } from './lines.ts';
import { xmlValue } from './xml.ts';
import { zipEntries } from './zip.ts';

/** Turns a body into values: of most APIs it is one, of a list its entries, of lines one each. */
export interface Decoder {
  /** Values come while the body arrives; else all of it is needed first. */
  readonly streams: boolean;
  decode(reply: Reply): AsyncIterable<readonly unknown[]>;
  /** The first value, for paging; of a body that streams, nothing is known. */
  first(reply: Reply): unknown;
}

type Parser = (chunks: AsyncIterable<Buffer>) => AsyncIterable<readonly unknown[]>;

export function decoderOf(session: AirbyteSession, part: Part | undefined): Decoder {
  switch (typeOf(part)) {
    case '':
    case 'JsonDecoder':
      return whole((reply) => jsonBodies(reply.json()));
    case 'XmlDecoder':
      return whole((reply) => [xmlValue(reply.text) ?? {}]);
    case 'ZipfileDecoder': {
      const parse = parserOf(session, partOf(part?.['decoder']));
      return { streams: false, first: () => ({}), decode: (reply) => unzipped(reply, parse) };
    }
    default: {
      const parse = parserOf(session, part);
      return { streams: true, first: () => ({}), decode: (reply) => parse(reply.chunks()) };
    }
  }
}

/** All values of a body. */
export async function bodiesOf(decoder: Decoder, reply: Reply): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const some of decoder.decode(reply)) for (const value of some) all.push(value);
  return all;
}

function whole(bodies: (reply: Reply) => readonly unknown[]): Decoder {
  return {
    streams: false,
    first: (reply) => bodies(reply)[0] ?? {},
    decode: async function* (reply) {
      yield bodies(reply);
    },
  };
}

/** A list is its entries; what is no JSON, or has nothing in it, is an empty object. */
function jsonBodies(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [{}];
  if (!Array.isArray(value)) return [value];
  return value.length === 0 ? [{}] : value;
}

function parserOf(session: AirbyteSession, part: Part | undefined): Parser {
  switch (typeOf(part)) {
    case '':
    case 'JsonDecoder':
    case 'JsonParser':
      return jsonWhole;
    case 'JsonlDecoder':
    case 'JsonLineParser':
      return (chunks) => jsonLines(chunks, (count) => session.tell?.('warn', `${count} lines of an answer are no JSON and were left out.`));
    case 'IterableDecoder':
      return textLines;
    case 'JsonItemsDecoder':
    case 'JsonItemsParser':
      return (chunks) => jsonItems(chunks, (textAt(part, 'items_path') ?? '').split('.'));
    case 'CsvDecoder':
    case 'CsvParser': {
      const nulls = part?.['set_values_to_none'];
      const options = {
        encoding: textAt(part, 'encoding') ?? 'utf-8',
        delimiter: unescaped(textAt(part, 'delimiter') ?? ','),
        nulls: new Set(Array.isArray(nulls) ? nulls.map(String) : []),
      };
      return (chunks) => csvRows(chunks, options);
    }
    case 'GzipDecoder':
    case 'GzipParser': {
      const inner = parserOf(session, partOf(part?.['decoder']) ?? partOf(part?.['inner_parser']));
      return (chunks) => inner(unpackedGzip(chunks));
    }
    case 'CompositeRawDecoder':
      return parserOf(session, partOf(part?.['parser']));
    default:
      throw unknownPart(part, 'decoder');
  }
}

function unescaped(delimiter: string): string {
  return delimiter.startsWith('\\') ? ({ '\\t': '\t', '\\n': '\n', '\\\\': '\\' }[delimiter] ?? delimiter.slice(1)) : delimiter;
}

async function* jsonWhole(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly unknown[]> {
  yield* jsonItems(chunks, []);
}

async function* unzipped(reply: Reply, parse: Parser): AsyncGenerator<readonly unknown[]> {
  for (const content of zipEntries(reply.bytes, reply.url.host)) yield* parse(one(content));
}

async function* one(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
