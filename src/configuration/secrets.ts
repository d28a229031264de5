import { findManifest } from '../connectors/registry.ts';
import { MASK, replaceMembers } from '../datasync/sources/secret-members.ts';
import type { FieldError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/exact-json.ts';
import { type ConfigDocument, type ConfigEntry, SECTIONS, type Section } from './document.ts';
import { placeOf, stepsTo } from './places.ts';
import { hasReference } from './references.ts';

type Replace = (secret: string, place: string) => string;

/** An entry with something else where its secrets are, each known by its place within the entry. */
export function withSecrets(section: Section, entry: ConfigEntry, by: Replace): ConfigEntry {
  switch (section) {
    case 'sources': {
      const schema = findManifest(String(entry['type']))?.config;
      return schema
        ? { ...entry, config: replaceMembers(schema, entry['config'], (secret, place) => by(secret, `config.${place}`)) }
        : entry;
    }
    case 'hooks':
      return members(entry, ['secret'], '', by);
    case 'webhooks': {
      const headers = entry['headers'];
      return isJsonObject(headers) ? { ...entry, headers: members(headers, Object.keys(headers), 'headers.', by) } : entry;
    }
    case 'alerts': {
      const channel = entry['channel'];
      return isJsonObject(channel) ? { ...entry, channel: members(channel, ['smtp_url', 'url', 'secret'], 'channel.', by) } : entry;
    }
    default:
      return entry;
  }
}

function members(entry: ConfigEntry, names: readonly string[], begin: string, by: Replace): ConfigEntry {
  const changed = names.flatMap((name) => {
    const value = entry[name];
    return typeof value === 'string' && value !== '' ? [[name, by(value, begin + name)]] : [];
  });
  return { ...entry, ...Object.fromEntries(changed) };
}

/** Secrets that stand in the document themselves. Its form is known to be right. */
export function literalSecrets(document: ConfigDocument): FieldError[] {
  const names = variableNames();
  return SECTIONS.flatMap((section) =>
    Object.entries(document[section] ?? {}).flatMap(([name, entry]) => {
      const faults: FieldError[] = [];
      withSecrets(section, entry, (secret, place) => {
        const variable = names(name, place);
        const reason =
          secret === MASK
            ? `is only the mask of a secret. Write a reference such as \${env:${variable}}`
            : `is a secret, and those stand outside of the files. Write a reference such as \${env:${variable}} or \${file:path}`;
        if (!hasReference(secret)) faults.push({ field: placeOf([section, name, ...stepsTo(entry, place)]), reason });
        return secret;
      });
      return faults;
    }),
  );
}

/** References that nobody has resolved, where a secret is wanted: they would be stored as the secret. */
export function unresolvedSecrets(document: ConfigDocument): FieldError[] {
  return SECTIONS.flatMap((section) =>
    Object.entries(document[section] ?? {}).flatMap(([name, entry]) => {
      const faults: FieldError[] = [];
      withSecrets(section, entry, (secret, place) => {
        const reason = 'is a reference, which the command line resolves: send the secret itself';
        if (hasReference(secret)) faults.push({ field: placeOf([section, name, ...stepsTo(entry, place)]), reason });
        return secret;
      });
      return faults;
    }),
  );
}

/** Makes names of variables for secrets: `SHOP_DATABASE_PASSWORD`. None is given twice. */
export function variableNames(): (name: string, place: string) => string {
  const given = new Set<string>();
  return (name, place) => {
    const words = place.replace(/^(config|channel)\./, '');
    const text = `${name}_${words}`
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    // What begins with our own name is taken for a setting.
    const begin = /^(?!SYNCLINE_)[A-Z]/.test(text) ? text : `SECRET_${text}`;
    let [candidate, count] = [begin, 1];
    while (given.has(candidate)) candidate = `${begin}_${++count}`;
    given.add(candidate);
    return candidate;
  };
}
