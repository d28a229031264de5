const WINDOW = 500;

/** How quickly things come to an end: how many do in half a second. */
export interface EndPace {
  count(): void;
  lately(): number;
}

export function createPace(now: () => number = () => performance.now()): EndPace {
  let since = now();
  let current = 0;
  let previous = 0;
  const turn = (): void => {
    const windows = Math.floor((now() - since) / WINDOW);
    if (windows === 0) return;
    previous = windows === 1 ? current : 0;
    current = 0;
    since += windows * WINDOW;
  };
  return {
    count: () => {
      turn();
      current++;
    },
    lately: () => {
      turn();
      return Math.max(previous, current);
    },
  };
}
