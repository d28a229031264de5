import { isJsonObject } from '../lib/exact-json.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Keyring } from '../lib/secrets.ts';
import { ToolFault } from './told.ts';

/** So long a proposal can be carried out, in milliseconds. */
const LIFETIME = 10 * 60_000;
/** More than that at once are of a client that does not mean them; the oldest are forgotten, and then the facts alone tell. */
const MOST_USED = 10_000;

/** What a proposal was made of: who asked for what, and how things were. */
interface ProposalFacts {
  key: string;
  tool: string;
  input: unknown;
  state: unknown;
}

export interface Proposals {
  /** A digest that confirms this, and for how long it does. */
  make(facts: ProposalFacts): { digest: string; expires_at: string };
  /** Throws unless this digest was made of the very same, a short time ago, and not used since. It is used by this. */
  redeem(digest: string, facts: ProposalFacts): void;
}

/**
 * A proposal is not kept: its digest is a keyed mark of all that it was made of, with the time in front. When it comes back, everything is looked at again; what is no
 * longer as it was has another mark. So any node can carry out what another has proposed.
 */
export function createProposals({ keyring, clock }: { keyring: Keyring; clock: Clock }): Proposals {
  const used = new Map<string, number>();
  const textOf = (time: number, facts: ProposalFacts): string => `assistant:${time}:${canonical(facts)}`;

  return {
    make: (facts) => {
      const time = clock();
      const [mark = ''] = keyring.marks(textOf(time, facts));
      return { digest: `${time.toString(36)}.${mark}`, expires_at: isoTime(time + LIFETIME) };
    },
    redeem: (digest, facts) => {
      const [, written = '', mark = ''] = /^([0-9a-z]{1,10})\.([\w-]{22})$/.exec(digest) ?? [];
      const time = Number.parseInt(written, 36);
      const now = clock();
      if (!(now - time <= LIFETIME)) throw new ToolFault(`This proposal is too old, or it is none. ${AGAIN}`);
      if (!keyring.marks(textOf(time, facts)).includes(mark)) {
        throw new ToolFault(`This proposal is no longer true: something has changed since, or the arguments are others. ${AGAIN}`);
      }
      if (used.has(digest)) throw new ToolFault(`This proposal was carried out already. ${AGAIN}`);
      for (const [old, until] of used) if (until < now || used.size >= MOST_USED) used.delete(old);
      used.set(digest, now + LIFETIME);
    },
  };
}

const AGAIN = 'Nothing was done. Call the tool again without "confirm", look at what it proposes now, and confirm that.';

/** The same text for the same value, in whatever order its members were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
