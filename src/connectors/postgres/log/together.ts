import type { Link } from '../wire/link.ts';
import type { WalPlace } from './place.ts';

/** Something that is asked of one server about several names. */
type Ask<Answer> = (link: Link, names: readonly string[]) => Promise<Answer>;

/**
 * Puts one question for all who ask the same server in the same moment, over the connection of one of them: hundreds may follow one source, and each would
 * need a connection, and wake up, for itself.
 */
export function together<Answer>(ask: Ask<Answer>): (place: WalPlace, name: string) => Promise<Answer> {
  const gathering = new Map<string, { readonly place: WalPlace; readonly name: string }[]>();
  const answers = new Map<string, Promise<Answer>>();
  return (place, name) => {
    const server = JSON.stringify(place.config);
    const asking = gathering.getOrInsertComputed(server, () => []);
    asking.push({ place, name });
    return answers.getOrInsertComputed(server, async () => {
      await new Promise(setImmediate);
      gathering.delete(server);
      answers.delete(server);
      const names = [...new Set(asking.map((one) => one.name))];
      return askOver(new Set(asking.map((one) => one.place)), (link) => ask(link, names));
    });
  };
}

/** A session that is closed meanwhile is not what is wrong with the others. */
async function askOver<Answer>(places: ReadonlySet<WalPlace>, ask: (link: Link) => Promise<Answer>): Promise<Answer> {
  const [first, ...others] = places;
  if (!first) throw new Error('Nobody has asked.');
  try {
    return await first.links.use('read', undefined, ask);
  } catch (error) {
    if (others.length === 0 || !(first.closed.aborted || first.context.signal.aborted)) throw error;
    return askOver(new Set(others), ask);
  }
}
