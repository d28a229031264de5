import type { UndoKeeping } from '../connectors/undo.ts';
import type { RunOrder } from './run.ts';

/** What a target is to keep of a run, so that it can be taken back: nothing, unless the definition says so. */
export function keepingFor({ id, syncId, definition }: RunOrder): { undo?: UndoKeeping } {
  const { undo } = definition;
  return undo ? { undo: { run: id, sync: syncId, most: undo.max_rows } } : {};
}
