import { isJsonObject } from '../lib/exact-json.ts';
import { type ConfigDocument, type ConfigEntry, type Section } from './document.ts';
import { briefEntry, type StoredRows } from './entries.ts';
import { placeOf } from './places.ts';
import { escaped } from './references.ts';
import { variableNames, withSecrets } from './secrets.ts';
import { entryOf, namesOf } from './stored.ts';

export interface Exported {
  readonly document: ConfigDocument;
  /** What has to be set before the document can be applied: the variables that stand for secrets, and the place of each. */
  readonly variables: readonly { name: string; field: string }[];
}

/** What is stored as a document of these sections, or of one thing alone. No secret is in it: references stand in their place. */
export function exported(rows: StoredRows, sections: readonly Section[], only?: string): Exported {
  const nameOf = namesOf(rows);
  const variables: { name: string; field: string }[] = [];
  const variableFor = variableNames();
  const written = sections.map((section): [Section, Record<string, ConfigEntry>] => [
    section,
    Object.fromEntries(
      rows[section]
        .filter(({ id }) => only === undefined || id === only)
        .map((row) => {
          const brief = escapedTexts(briefEntry(section, entryOf(section, row, nameOf))) as ConfigEntry;
          const entry = withSecrets(section, brief, (_masked, place) => {
            const name = variableFor(row.name, place);
            variables.push({ name, field: placeOf([section, row.name, place]) });
            return `\${env:${name}}`;
          });
          return [row.name, entry];
        }),
    ),
  ]);
  return { document: { version: 1, ...Object.fromEntries(written.filter(([, entries]) => Object.keys(entries).length > 0)) }, variables };
}

function escapedTexts(value: unknown): unknown {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(escapedTexts);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escapedTexts(member)])) : value;
}
