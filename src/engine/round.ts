import type { Batch, Version } from '../connectors/batch.ts';
import type { Mapped } from './mapping/mapping.ts';
import type { Note, Round } from './note.ts';
import type { StreamPlan } from './plan/plan.ts';
import type { RunOrder, StreamState } from './run.ts';

/** The round that goes on, or a new one. */
export function roundOf({ id }: RunOrder, { generation }: StreamState, note: Note | undefined): { round: Round; isNew: boolean } {
  const isOpen = note?.round !== undefined && !note.finished && note.generation === generation;
  return isOpen ? { round: note.round, isNew: false } : { round: { id, rows: 0 }, isNew: true };
}

/**
 * What tells the rows of a batch from all other versions of all other records, for a target that knows by it what it has already: never
 * where a batch begins or ends, as the next try cuts them elsewhere.
 *
 * - A record with a key and a cursor is one version as long as its cursor says so.
 * - Without a cursor, nobody can tell a price that went up and down again from one that stayed: within a round it is the same.
 * - Without a key, two rows that are equal are two rows: they are told apart by their place in the round. The same goes for
 *   deletions, as what is deleted may come and be deleted again.
 */
export function versionsOf(plan: StreamPlan, generation: number, round: Round, batch: Batch, { origin }: Pick<Mapped, 'origin'>): Version {
  const placeOf = (name: string): number => plan.read.fields.indexOf(name);
  const keyPlaces = batch.operation === 'delete' ? [] : plan.read.key.map(placeOf);
  const cursorPlace = plan.read.cursor === undefined ? -1 : placeOf(plan.read.cursor);
  return (index) => {
    const at = origin?.[index] ?? index;
    const row = batch.rows[at] ?? [];
    const key = keyPlaces.map((place) => row[place] ?? null);
    if (key.length === 0 || key.includes(null)) return JSON.stringify({ generation, round: round.id, row: round.rows + at });
    const cursor = row[cursorPlace] ?? null;
    return JSON.stringify(cursor === null ? { generation, round: round.id, key } : { generation, key, cursor });
  };
}
