// Counts requests. This is on the way of every request, so it does no more than raise two numbers.

/** Upper bounds in milliseconds. */
export const DURATION_BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const;

/** The requests to one route. */
export class RouteTally {
  readonly method: string;
  /** As in the documentation; empty for requests that were answered before they came to a route. */
  readonly path: string;
  readonly byStatus = new Map<number, number>();
  /** How many took at most so long as the bound of the same place and longer than the one before; the last took longer than all. */
  readonly durations = new Float64Array(DURATION_BOUNDS.length + 1);
  /** Milliseconds in all. */
  total = 0;

  constructor(method: string, path: string) {
    this.method = method;
    this.path = path;
  }

  add(status: number, milliseconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.total += milliseconds;
    let place = 0;
    while (place < DURATION_BOUNDS.length && milliseconds > (DURATION_BOUNDS[place] as number)) place++;
    (this.durations[place] as number)++;
  }
}

export class RequestTally {
  readonly #routes: RouteTally[] = [];
  readonly elsewhere = this.of('', '');

  of(method: string, path: string): RouteTally {
    const tally = new RouteTally(method, path);
    this.#routes.push(tally);
    return tally;
  }

  /** Those that had requests. */
  used(): RouteTally[] {
    return this.#routes.filter(({ byStatus }) => byStatus.size > 0);
  }
}
