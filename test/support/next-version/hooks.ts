// Makes the program of a later version out of this one: `node --import …/hooks.ts?expand` knows one step of the schema more, which
// only adds; with `?contract` it knows a second one, which takes away what this version still uses.
import { registerHooks } from 'node:module';

const { search } = new URL(import.meta.url);
const migrations = new URL('./migrations.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const isOurs = found.url.endsWith('/src/db/migrations.ts') && !context.parentURL?.includes('/next-version/');
    return isOurs ? { ...found, url: migrations + search } : found;
  },
});
