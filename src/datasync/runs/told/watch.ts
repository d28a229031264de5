import type { Lag, StreamReport } from '../../../engine/run.ts';

/** How far a run on this node is: the streams that it works on. */
export interface RunSnapshot {
  readonly streams: readonly StreamReport[];
  /** Of a live run that has told. */
  readonly lag?: Lag;
}

/** Called with how far a run is; with undefined when its row has changed and is worth another look. */
type SnapshotListener = (snapshot: RunSnapshot | undefined) => void;

/** Tells of the runs on this node as they go on. */
export interface RunWatcher {
  /** Listens to a run; the answer ends it. */
  watch(runId: string, listener: SnapshotListener): () => void;
}

/** Between the runner, who knows how far a run is, and those who watch it. */
export interface RunWatch extends RunWatcher {
  publish(runId: string, snapshot: RunSnapshot): void;
  /** The row of this run has changed: claimed, finished, cancelled. */
  changed(runId: string): void;
}

export function createRunWatch(): RunWatch {
  const listeners = new Map<string, Set<SnapshotListener>>();
  const tell = (runId: string, snapshot: RunSnapshot | undefined): void => {
    for (const listener of listeners.get(runId) ?? []) listener(snapshot);
  };
  return {
    watch: (runId, listener) => {
      const ofRun = listeners.get(runId) ?? new Set();
      listeners.set(runId, ofRun.add(listener));
      return () => {
        ofRun.delete(listener);
        if (ofRun.size === 0 && listeners.get(runId) === ofRun) listeners.delete(runId);
      };
    },
    publish: tell,
    changed: (runId) => tell(runId, undefined),
  };
}
