const steps: (() => unknown)[] = [];
let underWay: Promise<void> | undefined;
let interrupted = false;

/** Remembers what has to be put away at the end, however the end comes. */
export function atEnd(step: () => unknown): void {
  steps.push(step);
}

/** Puts everything away, the last thing first; a caller that asks meanwhile waits for the same work. */
export function cleanUp(): Promise<void> {
  underWay ??= putAway().finally(() => {
    underWay = undefined;
  });
  return underWay;
}

async function putAway(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      console.error('Could not clean up:', error);
    }
  }
}

/** Whether a signal has ended the run: what fails after that fails because of it. */
export function isInterrupted(): boolean {
  return interrupted;
}

export function cleanUpOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(signal, () => {
      if (interrupted) return;
      interrupted = true;
      console.error('\nStopping: putting everything away…');
      void cleanUp().then(() => process.exit(code));
    });
  }
}
