import type pg from 'pg';
import type { Context } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { submit } from '../../../lib/pg-internals.ts';
import type { Recycler } from '../../recycler.ts';
import { connectedClient, cut } from './connect.ts';
import { CopyIn, type CopyInput, type CopyInResult, CopyOut } from './copy.ts';
import type { PostgresConfig } from '../manifest.ts';
import { toConnectError, toOutsideError } from './sql-errors.ts';

/** A `COPY … FROM STDIN` that has been begun. */
export interface Copying {
  readonly copy: CopyIn;
  readonly done: Promise<CopyInResult>;
}

/** One connection. What fails is told as a OutsideError. */
export interface Link {
  /** Every value comes as text, as the server writes it. */
  query<Row extends Record<string, string | null>>(text: string, values?: readonly (string | null)[]): Promise<Row[]>;
  /** Statements without parameters or answers, in one round trip. */
  run(text: string): Promise<void>;
  /** Starts `COPY … TO STDOUT`. */
  copyOut(text: string, batchBytes: number, memory: Recycler, batchRows?: number): { next: CopyOut['next'] };
  /** `COPY … FROM STDIN` and what follows it; or several of them, or none. */
  copyIn(text: string, lines: Buffer | readonly CopyInput[], verify?: () => void): Promise<CopyInResult>;
  /** The same, begun: it may stand `behind` another, and is not sent when that one fails. */
  beginCopy(text: string, lines: Buffer | readonly CopyInput[], verify?: () => void, behind?: Copying): Copying;
  /** Cuts it at once; what is under way fails. */
  destroy(): void;
  /** Whether it was cut, by either side. */
  readonly isBroken: boolean;
}

/** Connects. The settings are the server's own. */
export async function openLink(config: PostgresConfig, context: Context, signal?: AbortSignal): Promise<Link> {
  const address = { host: config.host, port: config.port ?? 5432 };
  const seconds = config.statement_timeout ?? 3600;
  const patience = seconds > 0 ? Math.min(2 ** 31 - 1, seconds * 1100 + 2000) : undefined;
  const client = await connectedClient(config, context, signal).catch((error: unknown) => {
    throw toConnectError(error, address);
  });
  let isBroken = false;
  // The caller that waits for a statement is told; without a listener it would also end the process.
  client.on('error', () => {
    isBroken = true;
  });
  client.on('end', () => {
    isBroken = true;
  });
  const destroy = (): void => {
    isBroken = true;
    cut(client);
  };
  /** The server ends what takes too long itself; one that does not, or answers a byte at a time, is left. */
  const inTime = async <Result>(answer: Promise<Result>): Promise<Result> => {
    let isLate = false;
    const leave = (): void => {
      isLate = true;
      destroy();
    };
    const timer = patience === undefined ? undefined : setTimeout(leave, patience);
    try {
      return await answer;
    } catch (error) {
      throw isLate ? tooLate(address) : toOutsideError(error, address);
    } finally {
      clearTimeout(timer);
    }
  };
  const link: Link = {
    get isBroken() {
      return isBroken;
    },
    query: async <Row>(text: string, values?: readonly (string | null)[]) => {
      const result = await inTime(client.query(text, values as string[] | undefined));
      return (Array.isArray(result) ? (result as pg.QueryResult[]).flatMap(({ rows }) => rows) : result.rows) as Row[];
    },
    run: async (text) => {
      await inTime(client.query(text));
    },
    copyOut: (...how) => {
      const copy = new CopyOut(...how);
      submit(client, copy);
      return { next: () => inTime(copy.next()) };
    },
    copyIn: (...copy) => link.beginCopy(...copy).done,
    beginCopy: (text, lines, verify, behind) => {
      const copy = new CopyIn(text, lines, verify);
      const send = (): void => {
        submit(client, copy);
      };
      if (behind) behind.copy.before(copy, send);
      else send();
      return { copy, done: inTime(copy.done) };
    },
    destroy,
  };
  return link;
}

function tooLate({ host, port }: { host: string; port: number }): OutsideError {
  return new OutsideError('transient', 'TIMEOUT', `${host}:${port} did not answer within the statement timeout.`, {
    hint: 'Check the server and the network between, or allow for more time.',
  });
}
