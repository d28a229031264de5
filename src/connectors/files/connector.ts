import type { Context, ReadRequest, Stream, Writer, WriteRequest } from '../contract.ts';
import type { Connector, Session } from '../session.ts';
import { CHECK_TIMEOUT } from '../contract.ts';
import { aborted, OutsideError } from '../../outside/errors.ts';
import { checkFiles } from './check.ts';
import { type FilesConfig, manifest } from './manifest.ts';
import { readFiles } from './source/read.ts';
import { type FileShape, shapeOf } from './source/shape.ts';
import { openPlace } from './place/open.ts';
import { demandThere, type FileStream, findStream, meaningOf, streamNamed, streamsOf, type Whereabouts } from './source/streams.ts';
import { openWriter } from './target/write.ts';

const AT_ONCE = 8;

export const connector: Connector<FilesConfig> = {
  manifest,
  open: async (config, context) => sessionOf(config, context),
};

function sessionOf(config: FilesConfig, context: Context): Session {
  const closing = new AbortController();
  const place = openPlace(config.place, context, AbortSignal.any([context.signal, closing.signal]));
  const where: Whereabouts = { place, reach: context.reach };
  const signalOf = (signal?: AbortSignal): AbortSignal => AbortSignal.any([context.signal, closing.signal, ...(signal ? [signal] : [])]);
  const writers = new Set<Writer>();
  const demandOpen = (signal: AbortSignal): void => {
    if (signal.aborted) throw aborted();
  };
  return {
    check: async () => {
      const limit = AbortSignal.timeout(CHECK_TIMEOUT - 500);
      try {
        return await checkFiles(config, where, AbortSignal.any([signalOf(), limit]));
      } catch (error) {
        if (!limit.aborted) throw error;
        throw new OutsideError(
          'transient',
          'TIMEOUT',
          `${config.url === undefined ? where.place.title : new URL(config.url).host} did not answer in time.`,
          {
            hint: 'Check that it is there and not overloaded.',
            cause: error,
          },
        );
      }
    },
    discover: async (names) => {
      const signal = signalOf();
      demandOpen(signal);
      const meaning = await meaningOf(config, where, signal);
      // A caller that asks for certain files may be about to write them.
      if (names === undefined && meaning.kind === 'folder') demandThere(meaning, config, where);
      const all = await streamsOf(config, where, signal, names);
      const found = names === undefined ? all : all.filter((stream) => stream.isOnly || names.some((name) => streamNamed([stream], name)));
      const isOneOfMany = (stream: FileStream): boolean => (names === undefined ? all.length > 1 : !stream.isOnly);
      const streams: Stream[] = [];
      // Some at a time: a folder may have thousands of files, and opening one is mostly waiting.
      for (let at = 0; at < found.length; at += AT_ONCE) {
        demandOpen(signal);
        streams.push(
          ...(await Promise.all(found.slice(at, at + AT_ONCE).map((stream) => described(stream, config, signal, isOneOfMany(stream))))),
        );
      }
      return streams;
    },
    read: (request) => read(config, where, context.tell, request, signalOf(request.signal)),
    write: async (request: WriteRequest) => {
      const signal = signalOf(request.signal);
      demandOpen(signal);
      const writer = await openWriter(config, where, request, signal);
      writers.add(writer);
      return writer;
    },
    close: async () => {
      closing.abort();
      for (const writer of writers) await writer.close();
      writers.clear();
      await where.place.close();
    },
  };
}

async function described(stream: FileStream, config: FilesConfig, signal: AbortSignal, isOneOfMany: boolean): Promise<Stream> {
  const unknown = (error: unknown): FileShape => {
    // One file that cannot be understood does not hide the others; reading it tells why it has no fields.
    const isItsOwn = error instanceof OutsideError && (error.kind === 'config' || error.kind === 'data');
    if (!isOneOfMany || !isItsOwn) throw error;
    return { fields: [], key: [], estimatedRows: null };
  };
  const shape = stream.list(signal).then((files) => shapeOf(stream, files, config, signal));
  const { fields, key, estimatedRows } = await shape.catch(unknown);
  const writable = config.url === undefined && stream.path !== undefined;
  const only = stream.isOnly && { isOnly: stream.isOnly };
  return { name: stream.name, kind: 'file', fields, key, cursors: cursorsOf(config), writable, estimatedRows, ...only };
}

/** Reading on is by file and place, whatever the field: these say where. */
function cursorsOf(config: FilesConfig): string[] {
  return config.file_fields ? ['_file'] : [];
}

async function* read(config: FilesConfig, where: Whereabouts, tell: Context['tell'], request: ReadRequest, signal: AbortSignal) {
  if (signal.aborted) throw aborted();
  if (request.filters && request.filters.length > 0)
    throw new OutsideError('config', 'FILTERS_UNSUPPORTED', 'Files cannot filter rows themselves.', {
      hint: 'Leave the filter to Syncline, which applies it to the rows that are read.',
    });
  const stream = await findStream(config, where, request.stream, signal);
  const files = await stream.list(signal);
  const shape = await shapeOf(stream, files, config, signal);
  yield* readFiles({ config, stream, files, shape, request, signal, tell });
}
