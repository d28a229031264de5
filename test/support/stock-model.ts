// What stock should be, counted unit by unit: slow, and simple enough to be believed.

interface Shelf {
  location: string;
  onHand: number;
  reserved: number;
}

export interface ModelProduct {
  shelves: Shelf[];
  backorder: boolean;
  /** What was added on hand, and since when that was so. */
  added: { since: number; delta: number }[];
}

export interface ModelOrder {
  status: string;
  ordered: Map<string, number>;
  /** Refunded before they were shipped. */
  withdrawn: Map<string, number>;
  returned: Map<string, number>;
  /** For each product, where each unit is that is held. */
  held: Map<string, string[]>;
  /** For each product and location, how many were taken out and not put back there. */
  out: Map<string, Map<string, number>>;
}

export const HOME = 'default';

export function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export class StockModel {
  readonly products = new Map<string, ModelProduct>();

  /** What there is when it begins was there before. */
  track(id: string, onHand: number, backorder: boolean): void {
    this.products.set(id, { shelves: [{ location: HOME, onHand, reserved: 0 }], backorder, added: [{ since: 0, delta: onHand }] });
  }

  shelf(id: string, location: string): Shelf | undefined {
    return this.products.get(id)?.shelves.find((one) => one.location === location);
  }

  onHand(id: string): number {
    return this.products.get(id)?.shelves.reduce((sum, { onHand }) => sum + onHand, 0) ?? 0;
  }

  /** What an order holds when it takes what it wants, or undefined when it gets nothing. */
  take(wanted: ReadonlyMap<string, number>): Map<string, string[]> | undefined {
    const held = new Map<string, string[]>();
    let isShort = false;
    for (const [id, quantity] of wanted) {
      const product = this.products.get(id);
      if (!product) continue;
      for (let unit = 0; unit < quantity; unit++) {
        const shelf =
          product.shelves.find(({ onHand, reserved }) => onHand > reserved) ?? (product.backorder ? product.shelves[0] : undefined);
        if (shelf) shelf.reserved++;
        if (shelf) held.set(id, [...(held.get(id) ?? []), shelf.location].sort());
        isShort ||= !shelf;
      }
    }
    if (!isShort) return held;
    for (const [id, units] of held) for (const location of units) (this.shelf(id, location) as Shelf).reserved--;
    return undefined;
  }

  /** Has an order hold what it wants now; answers whether it can. */
  hold(order: ModelOrder, wanted: ReadonlyMap<string, number>): boolean {
    const heldOf = (id: string): number => order.held.get(id)?.length ?? 0;
    const more = this.take(new Map(Array.from(wanted, ([id, quantity]) => [id, Math.max(0, quantity - heldOf(id))])));
    if (!more) return false;
    for (const id of order.held.keys()) this.release(order, id, Math.max(0, heldOf(id) - (wanted.get(id) ?? 0)));
    for (const [id, units] of more) order.held.set(id, [...(order.held.get(id) ?? []), ...units].sort());
    return true;
  }

  release(order: ModelOrder, id: string, quantity: number): void {
    for (let unit = 0; unit < quantity; unit++) {
      const location = order.held.get(id)?.shift();
      const shelf = location === undefined ? undefined : this.shelf(id, location);
      if (shelf) shelf.reserved--;
    }
  }

  ship(order: ModelOrder, id: string, quantity: number, from: string | undefined, now: number): void {
    const held = order.held.get(id) ?? [];
    for (let unit = 0; unit < quantity && held.length > 0; unit++) {
      const [location] = held.splice(Math.max(0, held.indexOf(from ?? '')), 1) as [string];
      const shelf = this.shelf(id, location) as Shelf;
      shelf.reserved--;
      const product = this.products.get(id) as ModelProduct;
      if (product.backorder || shelf.onHand > 0) {
        shelf.onHand--;
        product.added.push({ since: now, delta: -1 });
      }
      const out = order.out.get(id) ?? new Map<string, number>();
      order.out.set(id, out);
      add(out, location, 1);
    }
  }

  putBack(order: ModelOrder, id: string, quantity: number, to: string | undefined, now: number): void {
    if (!this.products.has(id)) return;
    const out = order.out.get(id) ?? new Map<string, number>();
    for (let unit = 0; unit < quantity; unit++) {
      if ([...out.values()].reduce((sum, n) => sum + n, 0) <= 0) return;
      const from = [...out.keys()].sort().find((location) => (out.get(location) ?? 0) > 0) ?? HOME;
      this.receive(id, to ?? from, 1, now);
      add(out, to ?? from, -1);
    }
  }

  receive(id: string, location: string, units: number, since: number): void {
    const product = this.products.get(id) as ModelProduct;
    const shelf = this.shelf(id, location);
    if (shelf) shelf.onHand += units;
    else product.shelves.push({ location, onHand: units, reserved: 0 });
    product.shelves.sort((a, b) => (a.location === HOME ? -1 : b.location === HOME ? 1 : a.location < b.location ? -1 : 1));
    product.added.push({ since, delta: units });
  }

  /** Somebody has counted so many at some time; what has moved since then stays. */
  count(id: string, counted: number, at: number): void {
    const product = this.products.get(id) as ModelProduct;
    const then = product.added.filter(({ since }) => since <= at).reduce((sum, { delta }) => sum + delta, 0);
    let missing = then - counted;
    while (missing < 0) {
      this.receive(id, HOME, 1, at);
      missing++;
    }
    for (; missing > 0; missing--) {
      const shelf = product.shelves.find(({ onHand }) => onHand > 0) ?? (product.backorder ? product.shelves[0] : undefined);
      if (!shelf || (!product.backorder && this.onHand(id) <= 0)) return;
      shelf.onHand--;
      product.added.push({ since: at, delta: -1 });
    }
  }
}
