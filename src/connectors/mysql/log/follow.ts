import type { Position } from '../../batch.ts';
import type { ChangeSet, Following, LogRequest } from '../../changes.ts';
import { BATCH_BYTES, type Context } from '../../contract.ts';
import { aborted } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';
import { LogAssembly } from './assembly.ts';
import { openDump } from './dump.ts';
import { eventIn } from './events.ts';
import { CatalogueLayouts } from './layouts.ts';
import { lookUpRows } from './look-up.ts';
import { fromLogPosition, isPlaceBefore } from './positions.ts';
import { StallWatch } from './stall.ts';

/** A position behind what concerns nobody is told this often, in milliseconds. */
const TELL_PLACE = 1000;
/** How long a wait lasts before one looks around. */
const LONGEST_WAIT = 5000;

interface FollowOptions {
  readonly config: MysqlConfig;
  readonly context: Context;
  readonly request: LogRequest;
  readonly after: Position;
  readonly milestones: readonly Position[];
  readonly acknowledged: (position: Position) => void;
}

export function followLog({ config, context, request, after, milestones, acknowledged }: FollowOptions): Following {
  return {
    [Symbol.asyncIterator]: () => sets(config, context, request, after, milestones),
    acknowledge: acknowledged,
    lookUp: (stream, keys, fields) => lookUpRows(config, context, request, { stream, keys, fields }),
  };
}

async function* sets(
  config: MysqlConfig,
  context: Context,
  request: LogRequest,
  after: Position,
  milestones: readonly Position[],
): AsyncGenerator<ChangeSet> {
  const place = fromLogPosition(after);
  const { owner, streams } = request;
  const signal = AbortSignal.any([context.signal, ...(request.signal ? [request.signal] : [])]);
  if (signal.aborted) throw aborted();
  const dump = await openDump(config, context, { owner, place, signal });
  const watch = new StallWatch(config, context, signal);
  try {
    const assembly = new LogAssembly({
      database: config.database,
      streams,
      foldsCase: dump.server.foldsCase,
      place,
      server: dump.server.identity,
      isSameServer: dump.isSameServer,
      hasChecksums: dump.server.hasChecksums,
      layouts: new CatalogueLayouts(config, context, { foldsCase: dump.server.foldsCase, signal }),
    });
    let toldAt = performance.now();
    let ahead = milestones.map(fromLogPosition).filter((milestone) => isPlaceBefore(place, milestone));
    const take = (): ChangeSet => {
      toldAt = performance.now();
      ahead = ahead.filter((milestone) => isPlaceBefore(assembly.place, milestone));
      return assembly.take();
    };
    const isAtMilestone = (): boolean => assembly.hasMoved && ahead.some((milestone) => !isPlaceBefore(assembly.place, milestone));
    for (;;) {
      if (signal.aborted) throw aborted();
      const arrived = assembly.isUnpacking ? undefined : dump.poll();
      if (assembly.isUnpacking) await assembly.unpack();
      else if (arrived) {
        const event = eventIn(arrived.bytes, arrived.start, arrived.end, assembly.format);
        assembly.approach(event);
        if (isAtMilestone()) yield take();
        const pending = assembly.handle(event);
        if (pending) await pending;
      } else {
        // Nothing waits: what is whole is told at once.
        const isDue = assembly.hasMoved && performance.now() - toldAt >= TELL_PLACE;
        if (assembly.hasWhole || isDue) yield take();
        else {
          await watch.look(assembly.readTo);
          await dump.wait(assembly.hasMoved ? TELL_PLACE : LONGEST_WAIT);
        }
      }
      if (assembly.bytes >= BATCH_BYTES || isAtMilestone()) yield take();
    }
  } finally {
    dump.close();
  }
}
