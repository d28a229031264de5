import { pathParts, placeWords } from '../../../parts/words/place-words.ts';
import type { ConfigSchema } from './schema.ts';

/** Says a place in a configuration by the titles of its form: `config.streams[0].path` → `Streams 1, Path`. */
export function configPlace(path: string, schema: ConfigSchema): string {
  const [first, ...rest] = pathParts(path);
  if (first !== 'config' || rest.length === 0) return placeWords(path);
  const words: string[] = [];
  let schemas: readonly ConfigSchema[] = [schema];
  for (const part of rest) {
    if (typeof part === 'number') {
      schemas = schemas.flatMap(({ items }) => items ?? []);
      words.push(`${words.pop() ?? 'Entry'} ${part + 1}`);
    } else {
      // Which of several ways it is does not matter: the same name has the same title in each.
      schemas = schemas.flatMap((one) => [one, ...(one.oneOf ?? [])]).flatMap(({ properties }) => properties?.[part] ?? []);
      words.push(schemas.find(({ title }) => title !== undefined)?.title ?? placeWords(part));
    }
  }
  return words.join(', ');
}
