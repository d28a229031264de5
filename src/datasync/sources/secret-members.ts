import type { TSchema } from '../../lib/schema.ts';
import type { FieldError } from '../../lib/errors.ts';
import { variantOf } from '../../connectors/config-values.ts';
import { markedNames, type SecretsBy } from '../../connectors/marked-names.ts';

/** What stands where a secret is. Sent back, it keeps the secret. */
export const MASK = '********';

/** Secrets by their place in the configuration, such as `auth.token`, `url` (of which it is the query) or `headers[X-Key].value`. */
export type Secrets = Readonly<Record<string, string>>;

export interface SplitConfig {
  /** What may be shown and stored in the open. */
  shown: unknown;
  secrets: Secrets;
  faults: FieldError[];
}

/** Takes the secrets out of a configuration. A mask stands for the secret that was there before; only then is `known` asked. */
export function splitSecrets(schema: TSchema, config: unknown, known: () => Secrets): SplitConfig {
  const secrets: Record<string, string> = {};
  const faults: FieldError[] = [];
  const shown = mapSecrets(schema, config, (secret, place) => {
    const kept = secret === MASK ? known()[place] : secret;
    if (kept === undefined)
      faults.push({ field: `config.${place}`, reason: 'is the placeholder of a secret that is not stored: send the secret itself' });
    else secrets[place] = kept;
    return MASK;
  });
  return { shown, secrets, faults };
}

/** The configuration as the connector needs it. */
export function joinSecrets(schema: TSchema, shown: unknown, secrets: Secrets): unknown {
  // What is not masked was stored before its place was one for secrets.
  return mapSecrets(schema, shown, (masked, place) => (masked === MASK ? (secrets[place] ?? '') : masked));
}

/** A configuration with something else where its secrets are, each known by its place. */
export function replaceMembers(schema: TSchema, config: unknown, by: (secret: string, place: string) => string): unknown {
  return mapSecrets(schema, config, by);
}

function mapSecrets(schema: TSchema, value: unknown, change: (secret: string, place: string) => string, place = ''): unknown {
  const chosen = variantOf(schema, value);
  if ((chosen as { writeOnly?: boolean }).writeOnly) return typeof value === 'string' && value !== '' ? change(value, place) : value;
  if ((chosen as { 'x-secret-query'?: boolean })['x-secret-query']) return mapQuery(value, (query) => change(query, place));
  if (Array.isArray(value))
    return chosen.items
      ? value.map((item, index) => mapSecrets(chosen.items as TSchema, item, change, `${place}[${nameOf(item) ?? index}]`))
      : value;
  if (typeof value !== 'object' || value === null || !chosen.properties) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const schemaOf = chosen.properties?.[name];
    const inner = place === '' ? name : `${place}.${name}`;
    const by = (schemaOf as { 'x-secrets-by'?: SecretsBy } | undefined)?.['x-secrets-by'];
    if (by) {
      const marked = markedNames((value as Record<string, unknown>)[by.member], by);
      return [name, mapMarked(member, marked && new Set([...marked, ...(by.always ?? [])]), change, inner)];
    }
    return [name, schemaOf ? mapSecrets(schemaOf, member, change, inner) : member];
  });
  return Object.fromEntries(members);
}

/** Texts of a free-form object: those of the marked names, or all. What is masked was a secret before. */
function mapMarked(
  value: unknown,
  names: ReadonlySet<string> | undefined,
  change: (secret: string, place: string) => string,
  place: string,
): unknown {
  if (typeof value === 'string') {
    const name =
      place
        .split('.')
        .at(-1)
        ?.replace(/\[\d+\]$/, '') ?? '';
    return value !== '' && (value === MASK || names === undefined || names.has(name)) ? change(value, place) : value;
  }
  if (Array.isArray(value)) return value.map((item, index) => mapMarked(item, names, change, `${place}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapMarked(member, names, change, `${place}.${name}`)]));
}

/** An address of which all behind the question mark is a secret. */
function mapQuery(value: unknown, change: (query: string) => string): unknown {
  const [, open, query] = (typeof value === 'string' ? /^([^?]*\?)(.+)$/s.exec(value) : null) ?? [];
  return open === undefined || query === undefined ? value : open + change(query);
}

/** Entries of a list that have a name are known by it, so that their secrets stay with them when the list is reordered. */
function nameOf(item: unknown): string | undefined {
  const name = typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
