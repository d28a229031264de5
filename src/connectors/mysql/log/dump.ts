import { createHash, randomUUID } from 'node:crypto';
import type { Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';
import { connect } from '../wire/connect.ts';
import type { Wire } from '../wire/connection.ts';
import { EVENT } from './codes.ts';
import { eventIn, formatIn, type LogEvent, type LogFormat, NO_FORMAT } from './events.ts';
import { dumpError, logPurged, logReset, serverChanged } from './gaps.ts';
import { GtidSet } from './gtids.ts';
import { type LogPlace, numberOfFile } from './positions.ts';
import { type LogServer, logFiles, lookAtServer } from './server.ts';

const [COM_BINLOG_DUMP, COM_REGISTER, COM_BINLOG_DUMP_GTID] = [0x12, 0x15, 0x1e];
const [NOT_WAITING, BY_GTID] = [1, 4];
/** A server that has nothing to tell says so this often, in seconds. */
const HEARTBEAT = 5;
/** After so long a silence the connection is dead, in milliseconds. */
const SILENCE = 30_000;
/** The network waits while so much is here. */
const MOST_WAITING = 2 * 1024 * 1024;
/** Places behind this do not fit the command. */
const LAST_PLACE = 0xffff_ffff;
/** Where the first event of a file begins. */
const FIRST_PLACE = 4;

interface Arrived {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The log of a server as it arrives, event by event. */
export class LogDump {
  readonly server: LogServer;
  /** It goes on in the same file, which has to be the same. */
  readonly isSameServer: boolean;
  readonly #wire: Wire;
  readonly #file: string;
  #waiting: Arrived[] = [];
  #next = 0;
  #bytes = 0;
  #isOver = false;
  #error: unknown;
  #wake: (() => void) | undefined;
  #lastArrival = performance.now();
  #isPaused = false;
  readonly #watch: NodeJS.Timeout;

  constructor(wire: Wire, server: LogServer, isSameServer: boolean, file: string) {
    this.#wire = wire;
    this.server = server;
    this.isSameServer = isSameServer;
    this.#file = file;
    this.#watch = setInterval(() => {
      if (!this.#isPaused && performance.now() - this.#lastArrival > SILENCE)
        wire.destroy(
          new OutsideError(
            'transient',
            'CONNECTION_LOST',
            'The server has sent nothing of its log for 30 seconds, not even a sign of life.',
          ),
        );
    }, 5000).unref();
  }

  start(command: Buffer): void {
    const sink = { row: (bytes: Buffer, start: number, end: number): void => this.#arrive({ bytes, start, end }) };
    this.#wire.dump(command, sink).then(
      () => this.#end(new OutsideError('transient', 'CONNECTION_LOST', 'The server has ended sending its log.')),
      (error: unknown) => this.#end(dumpError(error, this.#file)),
    );
  }

  #arrive(arrived: Arrived): void {
    this.#lastArrival = performance.now();
    this.#waiting.push(arrived);
    this.#bytes += arrived.end - arrived.start;
    if (this.#bytes > MOST_WAITING && !this.#isPaused) {
      this.#isPaused = true;
      this.#wire.pause();
    }
    this.#wake?.();
  }

  #resume(): void {
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    this.#isPaused = false;
    this.#lastArrival = performance.now();
    this.#wire.resume();
  }

  #end(error: unknown): void {
    this.#isOver = true;
    this.#error = error;
    this.#wake?.();
  }

  /** The next event, if it is here. What had arrived before the end is told first. */
  poll(): Arrived | undefined {
    const next = this.#waiting[this.#next];
    if (next) {
      this.#next++;
      this.#bytes -= next.end - next.start;
      if (this.#isPaused && this.#bytes < MOST_WAITING / 2) this.#resume();
      return next;
    }
    this.#waiting = [];
    this.#next = 0;
    if (this.#isOver) throw this.#error;
    return undefined;
  }

  /** Resolves when there is more, or after so many milliseconds. */
  wait(most: number): Promise<void> {
    // It may have come while the caller waited for something else.
    if (this.#isOver || this.#next < this.#waiting.length) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, most);
      this.#wake = done;
    });
  }

  close(): void {
    clearInterval(this.#watch);
    this.#wire.destroy();
  }
}

interface DumpOptions {
  readonly owner: string;
  readonly place: LogPlace;
  readonly signal?: AbortSignal | undefined;
}

/** Has the server send its log from behind a place. Another server than that of the place is gone on with by what was committed. */
export async function openDump(config: MysqlConfig, context: Context, { owner, place, signal }: DumpOptions): Promise<LogDump> {
  const wire = await connect(config, context, { mode: 'read', signal });
  try {
    const server = await lookAtServer(wire);
    const isSameServer = server.identity === place.server;
    if (isSameServer) await demandFile(wire, place);
    const byGtid = !isSameServer || place.at > LAST_PLACE;
    const command = byGtid ? await gtidCommand(wire, owner, place) : dumpCommand(place.file, place.at, numberOf(owner), 0);
    await prepare(wire, owner);
    await wire.command(registration(numberOf(owner))).catch((error: unknown) => {
      if (error instanceof OutsideError && error.kind === 'transient') throw error;
      throw new OutsideError('auth', 'PERMISSION_MISSING', 'The user may not read the log of the server.', {
        field: 'user',
        hint: 'Run: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO the user.',
        cause: error,
      });
    });
    const dump = new LogDump(wire, server, !byGtid, place.file);
    dump.start(command);
    return dump;
  } catch (error) {
    wire.end();
    throw error;
  }
}

/** The file of a place has to be there, and to be that long. */
async function demandFile(wire: Wire, { file, at }: LogPlace): Promise<void> {
  const files = await logFiles(wire);
  const found = files.find((each) => each.file === file);
  if (found) {
    if (at > found.size) throw logReset(file);
    return;
  }
  const [first] = files;
  throw first && numberOfFile(first.file) > numberOfFile(file) ? logPurged(file) : logReset(file);
}

async function gtidCommand(wire: Wire, owner: string, { gtid, file }: LogPlace): Promise<Buffer> {
  if (gtid === undefined) throw serverChanged('transactions are not numbered (GTID), so that one cannot go on there');
  if (wire.isMariaDb) {
    if (gtid.includes(':')) throw serverChanged('it is of another make');
    if (!/^[\d,-]*$/.test(gtid)) throw serverChanged('what was read last is not known');
    await wire.run(`set @slave_connect_state = '${gtid}', @slave_gtid_strict_mode = 0, @slave_gtid_ignore_duplicates = 0`);
    return dumpCommand('', 4, numberOf(owner), 0);
  }
  const read = GtidSet.parse(gtid);
  if (!gtid.includes(':') && gtid !== '') throw serverChanged('it is of another make');
  const [[has, keeps] = []] = await wire.rows(
    `select gtid_subset('${read.toString()}', @@global.gtid_executed), gtid_subset(@@global.gtid_purged, '${read.toString()}')`,
  );
  if (has !== '1') throw serverChanged('it does not have what was read from the old one');
  if (keeps !== '1') throw logPurged(file);
  if (read.hasTags) throw serverChanged('its transactions have tags, which cannot be asked for yet');
  return gtidDumpCommand(read, numberOf(owner));
}

/** What a server wants to know of who reads its log. */
async function prepare(wire: Wire, owner: string): Promise<void> {
  const period = HEARTBEAT * 1_000_000_000;
  await wire.run(
    `set @master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum, @master_heartbeat_period = ${period}, @source_heartbeat_period = ${period}, ` +
      (wire.isMariaDb ? '@mariadb_slave_capability = 4' : `@slave_uuid = '${uuidOf(owner)}', @replica_uuid = '${uuidOf(owner)}'`),
  );
}

const digest = (owner: string): Buffer => createHash('sha256').update(`syncline\n${owner}`).digest();

/** Of one number there is one reader: the server ends the older one. So an owner has always the same, out of the reach of numbers that people give. */
function numberOf(owner: string): number {
  return 0x4000_0000 + (digest(owner).readUInt32BE() & 0x3fff_ffff);
}

function uuidOf(owner: string): string {
  return digest(owner)
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function dumpCommand(file: string, at: number, number: number, flags: number): Buffer {
  const bytes = Buffer.alloc(11);
  bytes[0] = COM_BINLOG_DUMP;
  bytes.writeUInt32LE(at, 1);
  bytes.writeUInt16LE(flags, 5);
  bytes.writeUInt32LE(number, 7);
  return Buffer.concat([bytes, Buffer.from(file)]);
}

function gtidDumpCommand(read: GtidSet, number: number): Buffer {
  const set = read.encoded();
  const bytes = Buffer.alloc(23);
  bytes[0] = COM_BINLOG_DUMP_GTID;
  bytes.writeUInt16LE(BY_GTID, 1);
  bytes.writeUInt32LE(number, 3);
  bytes.writeUInt32LE(0, 7);
  bytes.writeBigUInt64LE(4n, 11);
  bytes.writeUInt32LE(set.length, 19);
  return Buffer.concat([bytes, set]);
}

export function registration(number: number): Buffer {
  const name = Buffer.from('syncline');
  const bytes = Buffer.alloc(5);
  bytes[0] = COM_REGISTER;
  bytes.writeUInt32LE(number, 1);
  return Buffer.concat([bytes, Buffer.from([name.length]), name, Buffer.alloc(2 + 2 + 4 + 4)]);
}

interface ScanOptions {
  readonly file: string;
  readonly at: number;
  /** The place is one of this server; when another one answers, nothing is read. */
  readonly server?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the log from a place to its end, on a connection of its own, as long as `take` wants more. It ends no other reader, as it has no number, and
 * nobody else its name.
 */
export async function scanLog(
  config: MysqlConfig,
  context: Context,
  { file, at, server, signal }: ScanOptions,
  take: (event: LogEvent) => boolean,
): Promise<void> {
  const wire = await connect(config, context, { mode: 'read', signal });
  try {
    const { identity, hasChecksums } = await lookAtServer(wire);
    if (server !== undefined && server !== identity)
      throw new OutsideError('transient', 'SERVER_CHANGED', 'Another server answers than the one whose log is followed.');
    await prepare(wire, randomUUID());
    let format: LogFormat = { ...NO_FORMAT, hasChecksums };
    await new Promise<void>((resolve, reject) => {
      const row = (bytes: Buffer, start: number, end: number): void => {
        try {
          const event = eventIn(bytes, start, end, format);
          if (event.type === EVENT.formatDescription) format = formatIn(event);
          if (!take(event)) resolve();
        } catch (error) {
          reject(error);
        }
      };
      // What lies so far behind is reached from the beginning of its file.
      wire
        .dump(dumpCommand(file, at > LAST_PLACE ? FIRST_PLACE : at, 0, NOT_WAITING), { row })
        .then(resolve, (error: unknown) => reject(dumpError(error, file)));
    });
  } finally {
    wire.destroy();
  }
}

/** When a file of the log was begun, in seconds: its first event tells. */
export async function fileMadeAt(config: MysqlConfig, context: Context, file: string): Promise<number> {
  let madeAt: number | undefined;
  await scanLog(config, context, { file, at: FIRST_PLACE }, (event) => {
    if (event.type === EVENT.formatDescription) madeAt ??= formatIn(event).madeAt;
    return madeAt === undefined;
  });
  if (madeAt === undefined) throw new OutsideError('transient', 'LOG_UNREADABLE', 'The server has not sent the beginning of its log.');
  return madeAt;
}
