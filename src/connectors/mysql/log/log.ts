import type { Position } from '../../batch.ts';
import type { ChangeLog, KeptLog, LogRequest, LogStream } from '../../changes.ts';
import type { Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { concerning } from '../../concerning.ts';
import { demandTable } from '../catalogue/discover.ts';
import { textLiteral } from '../catalogue/literals.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import type { Wire } from '../wire/connection.ts';
import { fileMadeAt, registration } from './dump.ts';
import { followLog } from './follow.ts';
import { fromLogPosition, isPlaceBefore, numberOfFile, toLogPosition } from './positions.ts';
import { demandNone, faultsOf, logEnd, logFiles, lookAtServer, MISSING_RIGHT } from './server.ts';

/** The binary log of a server. The server keeps it for everybody, as long as it is set to: nothing is kept for us. */
export function logOf(config: MysqlConfig, context: Context): ChangeLog {
  /** Up to where each owner has it, as far as this session knows. */
  const places = new Map<string, Position>();
  const seen = new Map<string, { end: number; at: number }>();
  const asked = async <Answer>(ask: (wire: Wire) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> => {
    const wire = await connect(config, context, { mode: 'read', signal });
    try {
      return await ask(wire);
    } finally {
      wire.end();
    }
  };
  const end = async (): Promise<Position> => {
    // What is committed is asked for first: a place is never behind it.
    const { server, file, at } = await asked(async (wire) => ({ server: await lookAtServer(wire), ...(await logEnd(wire)) }));
    const made = await fileMadeAt(config, context, file);
    return toLogPosition({ server: server.identity, file, at, made, ...(server.gtid !== undefined && { gtid: server.gtid }) });
  };
  return {
    check: () => asked(async (wire) => (await faultsWithRights(wire, config)).map(({ message }) => message)),
    hold: async (request) => {
      await asked((wire) => demandFollowable(wire, config, request, ({ fields, key }) => [...fields, ...key]), request.signal);
      const position = await end();
      places.set(request.owner, position);
      return position;
    },
    // What became of other fields, the log tells.
    change: (request) => asked((wire) => demandFollowable(wire, config, request, ({ key }) => key), request.signal),
    end,
    follow: (request, after, milestones = []) => {
      places.set(request.owner, after);
      const acknowledged = (position: Position): void => void places.set(request.owner, position);
      return followLog({ config, context, request, after, milestones, acknowledged });
    },
    kept: (owner) => asked((wire) => keptFor(wire, places.get(owner), seen, owner)),
    release: (owner) => {
      places.delete(owner);
      seen.delete(owner);
      return Promise.resolve();
    },
    isBefore: (one, other) => isPlaceBefore(fromLogPosition(one), fromLogPosition(other)),
  };
}

type Faults = Awaited<ReturnType<typeof faultsOf>>;

async function faultsWithRights(wire: Wire, config: MysqlConfig): Promise<Faults> {
  const faults = await faultsOf(wire, config, await lookAtServer(wire));
  if (faults.length > 0) return faults;
  // Only who may read the log may say so.
  return wire.command(registration(0x7fff_fffe)).then(
    () => [],
    (error: unknown) => {
      if (error instanceof OutsideError && error.kind === 'transient') throw error;
      return [MISSING_RIGHT];
    },
  );
}

async function demandFollowable(
  wire: Wire,
  config: MysqlConfig,
  { streams }: LogRequest,
  columnsOf: (stream: LogStream) => readonly string[],
): Promise<void> {
  for (const stream of streams) await concerning(stream.stream, () => demandStream(wire, config, stream, columnsOf(stream)));
  demandNone(await faultsWithRights(wire, config));
}

async function demandStream(wire: Wire, config: MysqlConfig, { stream, key }: LogStream, columns: readonly string[]): Promise<void> {
  const table = await demandTable(wire, config, stream);
  const refuse = (code: string, message: string, hint: string): never => {
    throw new OutsideError('config', code, message, { field: 'stream', hint });
  };
  if (table.kind !== 'table')
    refuse('STREAM_NOT_LOGGED', `"${stream}" is a view: the log tells of tables only.`, 'Choose its tables, or another mode.');
  if (await isVersioned(wire, stream))
    refuse(
      'STREAM_NOT_LOGGED',
      `The table "${stream}" keeps old versions of its rows (system versioning): its log tells of these, too.`,
      'Choose another mode for it.',
    );
  if (key.length === 0) refuse('KEY_MISSING', `The table "${stream}" has no key.`, 'Give it a primary key, or choose another mode.');
  const missing = columns.find((name) => !table.columns.some((column) => column.name === name));
  if (missing !== undefined) refuse('FIELD_MISSING', `The table "${stream}" has no column "${missing}".`, 'Check the name.');
}

async function isVersioned(wire: Wire, table: string): Promise<boolean> {
  const [[type] = []] = await wire.rows(
    `select table_type from information_schema.tables where table_schema = database() and table_name = ${textLiteral(table)}`,
  );
  return type === 'SYSTEM VERSIONED';
}

async function keptFor(
  wire: Wire,
  position: Position | undefined,
  seen: Map<string, { end: number; at: number }>,
  owner: string,
): Promise<KeptLog> {
  if (position === undefined) return { bytes: null, bytesPerSecond: null };
  const { file, at } = fromLogPosition(position);
  const files = await logFiles(wire);
  const later = files.filter((each) => numberOfFile(each.file) >= numberOfFile(file));
  const bytes = Math.max(0, later.reduce((sum, each) => sum + each.size, 0) - (later[0]?.file === file ? at : 0));
  // The number of a file and its size make a place that grows, as long as files are about as large as the largest.
  const largest = Math.max(...files.map(({ size }) => size));
  const last = files.at(-1);
  const now = { end: last ? numberOfFile(last.file) * largest + last.size : 0, at: performance.now() };
  const before = seen.get(owner);
  seen.set(owner, now);
  const bytesPerSecond = before && now.at > before.at ? Math.max(0, ((now.end - before.end) * 1000) / (now.at - before.at)) : null;
  return { bytes, bytesPerSecond };
}
