import { isJsonObject } from '../lib/exact-json.ts';
import { matchesType } from '../webhooks/filter.ts';
import type { ConfigDocument, DocumentDefaults, Entries, ConfigEntry } from './document.ts';

/** The document with its `defaults` where entries say nothing themselves. Lists and objects are taken as a whole. */
export function withDocumentDefaults(document: ConfigDocument): ConfigDocument {
  const { defaults: given, ...rest } = document;
  // What is no object is a fault that is told elsewhere.
  const defaults: DocumentDefaults = isJsonObject(given) ? given : {};
  return {
    ...rest,
    ...(isJsonObject(rest.syncs) && {
      syncs: mapped(rest.syncs, (sync) => ({ ...defaults.syncs, ...sync, ...streamsOf(sync, defaults) })),
    }),
    ...(isJsonObject(rest.webhooks) && { webhooks: mapped(rest.webhooks, (webhook) => ({ ...defaults.webhooks, ...webhook })) }),
    ...(isJsonObject(rest.alerts) && { alerts: mapped(rest.alerts, (alert) => ({ ...defaults.alerts, ...alert })) }),
  };
}

function mapped(entries: Entries, change: (entry: ConfigEntry) => ConfigEntry): Entries {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, isJsonObject(entry) ? change(entry) : entry]));
}

/** Streams by their short names become objects here. */
function streamsOf(sync: ConfigEntry, { streams: usual = {} }: DocumentDefaults): ConfigEntry {
  const given = sync['streams'];
  if (!Array.isArray(given)) return {};
  const whole = (stream: unknown): unknown =>
    typeof stream === 'string' ? { ...usual, source: stream } : isJsonObject(stream) ? { ...usual, ...stream } : stream;
  return { streams: given.map(whole) };
}

export function isWild(source: string): boolean {
  return source.includes('*');
}

/** The names that a pattern stands for, `*` being any text. */
export function matching(pattern: string, names: readonly string[]): string[] {
  return names.filter((name) => matchesType([pattern], name));
}
