/** A try to tell an alert that is under way. */
export interface SendingPlace {
  readonly owner: string;
  readonly isDoubtful: boolean;
  isSlow: boolean;
}

interface PlaceLimits {
  /** Tries that have begun a moment ago, to alerts whose last one got through; and of one owner. */
  quick: number;
  quickOfOwner: number;
  /** Tries to alerts whose last one did not get through. */
  doubtful: number;
  doubtfulOfOwner: number;
  /** However long they take. */
  all: number;
  allOfOwner: number;
}

const LIMITS: PlaceLimits = { quick: 16, quickOfOwner: 8, doubtful: 64, doubtfulOfOwner: 8, all: 512, allOfOwner: 64 };

/**
 * How many alerts are told at the same time. Channels that hang must not take the places of those that answer: whose last try failed has places
 * of its own, what takes long is counted apart, and nobody's alerts have all of them.
 */
export class SendingPlaces {
  readonly #limits: PlaceLimits;
  readonly #taken = new Set<SendingPlace>();

  constructor(limits: PlaceLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Undefined when there is none now. */
  take(owner: string, isDoubtful: boolean): SendingPlace | undefined {
    const { quick, quickOfOwner, doubtful, doubtfulOfOwner, all, allOfOwner } = this.#limits;
    let [ofKind, ofKindAndOwner, ofOwner] = [0, 0, 0];
    for (const place of this.#taken) {
      const counts = place.isDoubtful === isDoubtful && (isDoubtful || !place.isSlow);
      if (counts) ofKind++;
      if (place.owner !== owner) continue;
      ofOwner++;
      if (counts) ofKindAndOwner++;
    }
    if (this.#taken.size >= all || ofOwner >= allOfOwner) return undefined;
    if (ofKind >= (isDoubtful ? doubtful : quick) || ofKindAndOwner >= (isDoubtful ? doubtfulOfOwner : quickOfOwner)) return undefined;
    const place = { owner, isDoubtful, isSlow: false };
    this.#taken.add(place);
    return place;
  }

  giveBack(place: SendingPlace): void {
    this.#taken.delete(place);
  }
}
