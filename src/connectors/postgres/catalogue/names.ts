import { OutsideError } from '../../../outside/errors.ts';
import { partsOf, qualifiedName } from '../../naming.ts';

/** A table or view by schema and name. */
export interface RelationName {
  schema: string;
  name: string;
}

/** The server cuts what is longer, in silence: two names would become one. */
export const LONGEST_NAME = 63;

/** Throws when PostgreSQL cannot have this name as it is. */
export function demandName(what: 'schema' | 'table' | 'field', name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes <= LONGEST_NAME) return;
  throw new OutsideError(
    'config',
    'NAME_TOO_LONG',
    `The name of the ${what} "${name}" has ${bytes} bytes; in PostgreSQL a name has at most ${LONGEST_NAME}.`,
    { field: what === 'field' ? name : 'stream', hint: `Choose a shorter name${what === 'field' ? ', by mapping the field to one' : ''}.` },
  );
}

/** `"a ""b"""`: an identifier in a statement, whatever it contains. */
export function quoteName(name: string): string {
  if (name === '' || name.includes('\0'))
    throw new OutsideError('config', 'NAME_INVALID', `A name in PostgreSQL is not empty and has no NUL character.`);
  return `"${name.replaceAll('"', '""')}"`;
}

/** `schema.table` in a statement. */
export function quoteRelation({ schema, name }: RelationName): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** A text in a statement, where the protocol takes no parameters (COPY). It means the same whatever the server's settings. */
export function quoteText(text: string): string {
  if (text.includes('\0')) throw new OutsideError('config', 'VALUE_INVALID', 'PostgreSQL knows no NUL character in a text.');
  if (!text.isWellFormed()) throw new OutsideError('config', 'VALUE_INVALID', 'A text contains half of a surrogate pair.');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** How a relation is called as a stream: `schema.table`; a part with dots or quotes in it stands in quotes. */
export function streamName({ schema, name }: RelationName): string {
  return qualifiedName(schema, name);
}

/** The relation that a stream names. Without a schema it is looked for in `schema`. Throws when no relation can be called so. */
export function parseStreamName(stream: string, schema: string): RelationName {
  const parts = stream.includes('\0') ? undefined : partsOf(stream);
  if (!parts)
    throw new OutsideError('config', 'STREAM_MISSING', `"${stream}" is not the name of a table.`, {
      field: 'stream',
      hint: 'Write schema.table; a part with dots or quotes in it stands in double quotes.',
    });
  const relation = { schema: parts.schema ?? schema, name: parts.table };
  demandName('schema', relation.schema);
  demandName('table', relation.name);
  return relation;
}
