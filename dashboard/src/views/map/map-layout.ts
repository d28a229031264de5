import type { Sync } from '../../api/resources.ts';

/** Heights and places, in pixels of the drawing. */
export const MAP = { width: 1080, box: 250, height: 52, gap: 16, top: 8 } as const;

interface MapNode {
  id: string;
  y: number;
}

export interface MapPlan {
  sources: MapNode[];
  syncs: (MapNode & { sync: Sync })[];
  targets: MapNode[];
  height: number;
}

/** Where everything lies: synchronizations in the middle, those of one source beside each other, and both ends level with them. */
export function planOf(syncs: readonly Sync[]): MapPlan {
  const bySource = [...Map.groupBy(syncs, ({ source_id }) => source_id).values()].flat();
  const step = MAP.height + MAP.gap;
  const placed = bySource.map((sync, place) => ({ id: sync.id, sync, y: MAP.top + place * step }));
  const ends = (end: 'source_id' | 'target_id'): MapNode[] => {
    const nodes = [...Map.groupBy(placed, ({ sync }) => sync[end])].map(([id, own]) => ({
      id,
      y: own.reduce((sum, { y }) => sum + y, 0) / own.length,
    }));
    return spread(nodes, step);
  };
  const [sources, targets] = [ends('source_id'), ends('target_id')];
  const lowest = Math.max(0, ...[...sources, ...placed, ...targets].map(({ y }) => y));
  return { sources, syncs: placed, targets, height: lowest + MAP.height + MAP.top };
}

/** Moves down what would lie on another. */
function spread(nodes: MapNode[], step: number): MapNode[] {
  let free = MAP.top;
  return nodes
    .toSorted((one, other) => one.y - other.y)
    .map(({ id, y }) => {
      const at = Math.max(y, free);
      free = at + step;
      return { id, y: at };
    });
}

export interface SharedTable {
  targetId: string;
  table: string;
  syncs: Sync[];
}

/** Tables that more than one synchronization writes: each may undo what the other did. Those that are paused are counted, as they may be resumed. */
export function sharedTables(syncs: readonly Sync[]): SharedTable[] {
  const writers = new Map<string, SharedTable>();
  // The oldest first: it was there when the others came.
  for (const sync of syncs.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    for (const table of new Set(sync.streams.map(({ target }) => target))) {
      const key = JSON.stringify([sync.target_id, table]);
      const shared = writers.get(key) ?? { targetId: sync.target_id, table, syncs: [] };
      shared.syncs.push(sync);
      writers.set(key, shared);
    }
  }
  return [...writers.values()].filter(({ syncs: own }) => own.length > 1);
}
