/** What can be kept: most often a connection. */
interface Keepable {
  destroy(): void;
}

/** Connections that outlive their session for a moment: to open one takes longer than many a run. */
export interface Kept {
  /** Takes out the latest that was left under this key, which tells everything that it depends on. It may have broken meanwhile. */
  take(key: string): Keepable | undefined;
  /** Leaves one that nothing is under way on. */
  leave(key: string, thing: Keepable): void;
}

export interface KeptOptions {
  /** Milliseconds. */
  time: number;
  /** Of all keys together; beyond, the oldest goes. */
  most: number;
}

interface Entry {
  key: string;
  thing: Keepable;
  timer: NodeJS.Timeout;
}

export function createKept({ time, most }: KeptOptions): Kept {
  // The oldest first.
  const entries: Entry[] = [];
  const takeOut = (place: number): Keepable | undefined => {
    const [entry] = place < 0 ? [] : entries.splice(place, 1);
    clearTimeout(entry?.timer);
    return entry?.thing;
  };
  return {
    take: (key) => takeOut(entries.findLastIndex((entry) => entry.key === key)),
    leave: (key, thing) => {
      if (entries.length >= most) takeOut(0)?.destroy();
      const end = (): void => takeOut(entries.indexOf(entry))?.destroy();
      const entry: Entry = { key, thing, timer: setTimeout(end, time).unref() };
      entries.push(entry);
    },
  };
}
