import { type BlockList, isIP, isIPv4, type LookupFunction, type OnReadOpts, Socket, type SocketConnectOpts } from 'node:net';
import { blockList, rangesOf } from '../lib/addresses.ts';
import { OutsideError } from './errors.ts';
import { createNames } from './names.ts';
import { isPublic, meaningOf } from './public-addresses.ts';

/** Which network addresses may be connected to. The check is made on addresses, never on names. */
export interface Reach {
  /** Throws when this address, as a literal or as resolved, is out of bounds. */
  demand(address: string): void;
  /** For `lookup` of sockets and requests: resolves a name and demands every address that it has. */
  readonly lookup: LookupFunction;
  /** An unconnected socket, for drivers that call `connect` themselves. What it reads goes to `onread`, if given. */
  socket(onread?: OnReadOpts): Socket;
}

// Where clouds keep their keys, and what no system of a user's lives on.
const NEVER = [
  '0.0.0.0/32',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'ff00::/8',
];

const MOST_REMEMBERED = 1000;

/** Shared by all that is reached from a thread: so is the system's pool. */
const addressesOf = createNames();

/** `any` (all but metadata and link-local addresses), `public`, or a list of ranges such as `10.0.0.0/8, 192.168.1.7`. */
export function reachOf(networks: string): Reach {
  const never = blockList(NEVER);
  const ranges = networks === 'any' || networks === 'public' ? undefined : blockList(rangesOf(networks, 'any, public, or '));

  /** A place that is asked a thousand times is judged once. */
  const allowed = new Set<string>();
  const demand = (address: string): void => {
    if (allowed.has(address)) return;
    judge(address);
    if (allowed.size >= MOST_REMEMBERED) allowed.clear();
    allowed.add(address);
  };
  const judge = (address: string): void => {
    if (!isIP(address)) throw refused(address, 'It is no address.');
    const { address: meant, through } = meaningOf(address);
    const isIn = (list: BlockList, one: string): boolean => list.check(one, isIPv4(one) ? 'ipv4' : 'ipv6');
    if ([meant, ...through].some((one) => isIn(never, one)))
      throw refused(address, 'Cloud metadata, link-local and multicast addresses are never allowed.');
    if (networks === 'public' && !isPublic(meant)) throw refused(address, 'SYNCLINE_NETWORKS=public allows public addresses only.');
    if (ranges && !isIn(ranges, meant))
      throw refused(address, 'SYNCLINE_NETWORKS does not list it; ask the operator of Syncline to add its range.');
  };
  const lookup: LookupFunction = (hostname, options, callback) => {
    const guarded = addressesOf(hostname, options).then((addresses) => {
      for (const { address } of addresses) demand(address);
      return addresses;
    });
    guarded.then(
      (addresses) => {
        const [first] = addresses;
        return options.all || !first ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error: Error) => callback(error as NodeJS.ErrnoException, []),
    );
  };
  return { demand, lookup, socket: (onread) => new GuardedSocket(demand, lookup, onread) };
}

/** A socket that looks where it is led before it connects, and again when it has arrived. */
class GuardedSocket extends Socket {
  readonly #demand: (address: string) => void;
  readonly #lookup: LookupFunction;

  constructor(demand: (address: string) => void, lookup: LookupFunction, onread: OnReadOpts | undefined) {
    super(onread && { onread });
    this.#demand = demand;
    this.#lookup = lookup;
    this.prependOnceListener('connect', () => {
      try {
        demand(this.remoteAddress ?? '');
      } catch (error) {
        this.destroy(error as Error);
      }
    });
  }

  // Drivers call connect(port, host) or connect({ port, host }).
  override connect(...args: unknown[]): this {
    const [first, second] = args;
    const given = typeof first === 'object' ? (first as { port?: number; host?: string }) : { port: Number(first), host: String(second) };
    const listener = args.find((argument) => typeof argument === 'function') as (() => void) | undefined;
    const host = given.host ?? '';
    try {
      if (host === '' || host.includes('/'))
        throw refused(host, 'A host is a name or an address; sockets in the file system are not allowed.');
      if (isIP(host)) this.#demand(host);
    } catch (error) {
      process.nextTick(() => this.destroy(error as Error));
      return this;
    }
    const options: SocketConnectOpts = { port: given.port ?? 0, host, lookup: this.#lookup, autoSelectFamily: true };
    return listener ? super.connect(options, listener) : super.connect(options);
  }
}

function refused(address: string, why: string): OutsideError {
  return new OutsideError('config', 'ADDRESS_REFUSED', `Syncline may not connect to ${address}.`, { field: 'host', hint: why });
}
