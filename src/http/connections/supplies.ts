import { Shares } from './shares.ts';

const MEBIBYTE = 1024 * 1024;
/** Streams of events and logs hold a connection for as long as their reader likes. A page of the dashboard has three at most, so a key's share does for 80 of them. */
const MOST_STREAMS = 1024;
/** Bodies that have not arrived as a whole, in memory. The largest one that we take is 16 MiB. */
const MOST_RECEIVING = 160 * MEBIBYTE;
/** Answers that wait in memory for their clients to read them. */
const MOST_UNREAD = 160 * MEBIBYTE;

/** What requests use up while they are here. What waits for a client is counted apart from what we work on. */
export interface Supplies {
  /** Requests that we work on: from the arrival of the last byte of one until its answer is handed to the network. */
  readonly inFlight: Shares;
  readonly streams: Shares;
  /** Bytes. */
  readonly receiving: Shares;
  /** Bytes. */
  readonly unread: Shares;
}

export function createSupplies(maxInFlight: number): Supplies {
  const inMebibytes = (bytes: number): string => `${Math.floor(bytes / MEBIBYTE)} MiB`;
  return {
    inFlight: new Shares({
      most: maxInFlight,
      perKey: 1 / 2,
      perAddress: 3 / 4,
      words: {
        key: (most) => `This key has ${most} requests under way, as many as one key may have. Wait for answers before you send more.`,
        address: (most) => `Your address has ${most} requests under way, as many as one may have. Wait for answers before you send more.`,
        all: () => 'The service is handling as many requests as it can. Try again in a moment.',
      },
    }),
    streams: new Shares({
      most: MOST_STREAMS,
      perKey: 1 / 4,
      perAddress: 1 / 2,
      words: {
        key: (most) => `This key has ${most} streams of events or logs open, as many as one key may have. Close some of them.`,
        address: (most) => `Your address has ${most} streams of events or logs open, as many as one may have. Close some of them.`,
        all: (most) => `${most} streams of events or logs are open already, and there may be no more. Try again in a moment.`,
      },
    }),
    receiving: new Shares({
      most: MOST_RECEIVING,
      perKey: 2 / 5,
      perAddress: 3 / 5,
      words: {
        key: (most) => `This key is sending bodies of more than ${inMebibytes(most)} at the same time. Send one after the other.`,
        address: (most) => `Your address is sending bodies of more than ${inMebibytes(most)} at the same time. Send one after the other.`,
        all: () => 'The service is receiving as much as it can. Try again in a moment.',
      },
    }),
    unread: new Shares({
      most: MOST_UNREAD,
      perKey: 2 / 5,
      perAddress: 3 / 5,
      words: {
        key: (most) => `Answers of more than ${inMebibytes(most)} wait for the clients of this key. Read them before you ask for more.`,
        address: (most) => `Answers of more than ${inMebibytes(most)} wait for clients at your address. Read them before you ask for more.`,
        all: () => 'Too many answers wait for their clients to read them. Try again in a moment.',
      },
    }),
  };
}
