import { channelFaults, ruleFaults, timingFaults } from '../alerts/check.ts';
import type { NewAlert } from '../alerts/schemas.ts';
import { withDefaults } from '../connectors/config-values.ts';
import { findManifest, manifests } from '../connectors/registry.ts';
import { streamFormFaults } from '../datasync/syncs/checked-streams.ts';
import { completeSchedule, formFaults } from '../datasync/syncs/form.ts';
import type { NewSync } from '../datasync/syncs/schemas.ts';
import { printable } from '../lib/check.ts';
import { parseTime } from '../lib/clock.ts';
import { closest } from '../lib/closest.ts';
import type { FieldError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { depthOf } from '../lib/json.ts';
import { reachOf } from '../outside/reach.ts';
import { patternFault } from '../webhooks/filter.ts';
import { headerFaults, urlFault } from '../webhooks/rules.ts';
import { isWild, withDocumentDefaults } from './defaults.ts';
import { type ConfigDocument, DEFAULTS, ENTRIES, type ConfigEntry, LONGEST_NAME, SECTIONS, type Section } from './document.ts';
import { explained } from './explained.ts';
import { placeOf, type PlaceStep, stepsTo, valueAt } from './places.ts';
import { hasReference, referencesIn } from './references.ts';

// What is wrong with a document, as far as it tells by itself: no service and no system is asked.

const MEMBERS = ['version', 'defaults', ...SECTIONS] as const;
const MAX_DEPTH = 40;
/** Names of a circle that are told. */
const MOST_SHOWN = 20;
/** What stands for a secret that is not to be seen: it is no word of a document. */
const MASK = '********';

/** All faults with their places. References may be in it, or have been resolved before. */
export function documentFaults(document: unknown): FieldError[] {
  if (!isJsonObject(document)) return [{ field: '', reason: 'must be an object with sources, syncs and so on' }];
  if (depthOf(document, MAX_DEPTH) > MAX_DEPTH) return [{ field: '', reason: `must not be nested more than ${MAX_DEPTH} levels deep` }];
  const faults = [...membersOf(document), ...faultsOfDefaults(document['defaults']), ...referencesIn(document).faults];
  const isSound = faults.every(({ field }) => !field.startsWith('defaults'));
  const whole = isSound ? withDocumentDefaults(document) : (document as ConfigDocument);
  for (const section of SECTIONS) {
    const entries: unknown = whole[section];
    if (entries === undefined || entries === null) continue;
    if (!isJsonObject(entries)) faults.push({ field: section, reason: 'must be an object: each by its name' });
    else for (const [name, entry] of Object.entries(entries)) faults.push(...entryFaults(section, name, entry, whole));
  }
  return distinct([...faults, ...circleFaults(whole)]);
}

function membersOf(document: JsonObject): FieldError[] {
  return Object.entries(document).flatMap(([name, value]): FieldError[] => {
    if (name === 'version') return value === 1 ? [] : [{ field: 'version', reason: 'must be 1' }];
    if ((MEMBERS as readonly string[]).includes(name)) return [];
    const meant = closest(name, MEMBERS);
    return [
      {
        field: printable(name),
        reason: `is not known here${meant === undefined ? `: there are ${MEMBERS.join(', ')}` : `; was ${meant} meant?`}`,
      },
    ];
  });
}

function faultsOfDefaults(defaults: unknown): FieldError[] {
  if (defaults === undefined || defaults === null) return [];
  if (!isJsonObject(defaults)) return [{ field: 'defaults', reason: 'must be an object' }];
  return Object.entries(defaults).flatMap(([name, value]): FieldError[] => {
    const schema = Object.hasOwn(DEFAULTS, name) ? DEFAULTS[name as keyof typeof DEFAULTS] : undefined;
    if (schema) return explained(schema, value, ['defaults', name]);
    const meant = closest(name, Object.keys(DEFAULTS));
    return [{ field: `defaults.${printable(name)}`, reason: `is not known here${meant === undefined ? '' : `; was ${meant} meant?`}` }];
  });
}

function entryFaults(section: Section, name: string, entry: unknown, document: ConfigDocument): FieldError[] {
  const begin = [section, name];
  const reason = nameFault(section, name);
  const faults = reason === undefined ? [] : [{ field: placeOf(begin), reason }];
  const ofForm = explained(ENTRIES[section], entry, begin);
  if (ofForm.length > 0) return [...faults, ...ofForm];
  const more = RULES[section](entry as ConfigEntry, document);
  // Of what is a reference nothing can be said yet.
  return [
    ...faults,
    ...more.flatMap((fault) => {
      const steps = stepsTo(entry, fault.field);
      return hasReference(valueAt(entry, steps)) ? [] : [{ field: placeOf([...begin, ...steps]), reason: fault.reason }];
    }),
  ];
}

function nameFault(section: Section, name: string): string | undefined {
  const longest = section === 'webhooks' ? 2 * LONGEST_NAME : LONGEST_NAME;
  if (name.trim() === '') return 'has no name';
  return Array.from(name).length > longest ? `has a name of more than ${longest} characters` : undefined;
}

/** What is known of entries of each section beyond their form. Places are within the entry. */
const RULES: Readonly<Record<Section, (entry: ConfigEntry, document: ConfigDocument) => FieldError[]>> = {
  sources: sourceFaults,
  hooks: () => [],
  syncs: syncFaults,
  webhooks: ({ url, types, headers }) => [
    ...((types as string[] | undefined) ?? []).flatMap((pattern, at) => faultAt(`types[${at}]`, patternFault(pattern))),
    ...(hasReference(url) ? [] : faultAt('url', urlFault(url as string, reachOf('any')))),
    ...headerFaults((headers as Record<string, unknown> | undefined) ?? {}),
  ],
  alerts: (entry) => {
    const { channel, rules, ...timing } = entry as NewAlert;
    return [...channelFaults(channel, MASK), ...ruleFaults(rules), ...timingFaults(timing)];
  },
  keys: ({ expires_at }) =>
    expires_at === undefined || parseTime(expires_at as string)
      ? []
      : [{ field: 'expires_at', reason: 'must be a time such as 2027-01-31T00:00:00Z' }],
};

function sourceFaults({ type, config }: ConfigEntry): FieldError[] {
  const manifest = findManifest(type as string);
  if (!manifest) {
    const meant = closest(
      type as string,
      manifests.map((one) => one.type),
    );
    const reason =
      meant === undefined ? `must be one of ${manifests.map((one) => one.type).join(', ')}` : `is no connector; was ${meant} meant?`;
    return [{ field: 'type', reason }];
  }
  const filled = withDefaults(manifest.config, config);
  const faults = explained(manifest.config, filled, ['config']);
  if (faults.length > 0) return faults;
  // What is behind a reference may be right: only what is told of another member is said.
  return (manifest.validate?.(filled as never) ?? []).map(({ field, reason }) => ({ field: `config.${field}`, reason }));
}

function syncFaults(entry: ConfigEntry, document: ConfigDocument): FieldError[] {
  const { schedule, streams, source, ...form } = entry as unknown as NewSync & { source: string };
  const wanted = streams as (NewSync['streams'][number] & { exclude?: string[] })[];
  const live = wanted.some(({ mode }) => mode === 'cdc');
  const type = document.sources?.[source]?.['type'];
  const at = typeof type === 'string' && findManifest(type) ? { name: source, type } : undefined;
  const faults = formFaults(form, schedule ? completeSchedule(schedule) : { type: live ? 'on_change' : 'manual' }, at, live);
  faults.push(...streamFormFaults(streams));
  for (const [index, stream] of wanted.entries()) {
    if (stream.exclude && !isWild(stream.source))
      faults.push({ field: `streams[${index}].exclude`, reason: 'goes with a source that has a *' });
    if (stream.target !== undefined && isWild(stream.source) && !isWild(stream.target))
      faults.push({
        field: `streams[${index}].target`,
        reason: 'must have a * for the part that the * of source stands for, as each stream needs a target of its own',
      });
    if (stream.target !== undefined && isWild(stream.target) && [stream.source, stream.target].some((text) => text.split('*').length !== 2))
      faults.push({ field: `streams[${index}].target`, reason: 'can have a * where source has one, and one only' });
  }
  return faults;
}

/** Synchronizations that would run after themselves in the end. Each is looked at once, however long the chains are. */
function circleFaults({ syncs }: ConfigDocument): FieldError[] {
  if (!isJsonObject(syncs)) return [];
  const before = (name: string): string | undefined => {
    const entry: unknown = Object.hasOwn(syncs, name) ? syncs[name] : undefined;
    const schedule = isJsonObject(entry) ? entry['schedule'] : undefined;
    return isJsonObject(schedule) && schedule['type'] === 'after' ? String(schedule['sync']) : undefined;
  };
  const looked = new Set<string>();
  return Object.keys(syncs).flatMap((name): FieldError[] => {
    const way = new Set<string>();
    let one: string | undefined = name;
    for (; one !== undefined && !looked.has(one); one = before(one)) {
      looked.add(one);
      way.add(one);
    }
    if (one === undefined || !way.has(one)) return [];
    const met = [...way];
    return circleOf(met.slice(met.indexOf(one)));
  });
}

/** Each of a circle is told, with the circle as it is met from there. */
function circleOf(circle: readonly string[]): FieldError[] {
  const { length } = circle;
  return circle.map((name, at) => {
    const met = Array.from({ length: Math.min(length, MOST_SHOWN) }, (_, back) => circle[(at - back + length) % length]);
    const shown = [...met, ...(length > MOST_SHOWN ? ['…'] : []), name];
    return {
      field: placeOf(['syncs', name, 'schedule', 'sync']),
      reason: `would make a circle: ${shown.map((sync) => `"${sync}"`).join(' → ')}`,
    };
  });
}

function faultAt(field: string, reason: string | undefined): FieldError[] {
  return reason === undefined ? [] : [{ field, reason }];
}

function distinct(faults: readonly FieldError[]): FieldError[] {
  return [...new Map(faults.map((fault) => [JSON.stringify([fault.field, fault.reason]), fault])).values()];
}

/** A place that names something by its name. */
interface NameUse {
  readonly section: Section;
  readonly name: string;
  readonly steps: readonly PlaceStep[];
}

/** Every place of a document that names something of another section. Its form is known to be right. */
function namesUsed(document: ConfigDocument): NameUse[] {
  const uses: NameUse[] = [];
  const use = (section: Section, name: unknown, ...steps: PlaceStep[]): void => {
    if (typeof name === 'string') uses.push({ section, name, steps });
  };
  for (const [name, entry] of Object.entries(document.sources ?? {})) {
    const member = findManifest(String(entry['type']))?.hookMember;
    if (member !== undefined) use('hooks', (entry['config'] as JsonObject | undefined)?.[member], 'sources', name, 'config', member);
  }
  for (const [name, { source, target, schedule }] of Object.entries(document.syncs ?? {})) {
    use('sources', source, 'syncs', name, 'source');
    use('sources', target, 'syncs', name, 'target');
    if (isJsonObject(schedule)) use('syncs', schedule['sync'], 'syncs', name, 'schedule', 'sync');
  }
  for (const [name, { sync }] of Object.entries(document.hooks ?? {})) use('syncs', sync, 'hooks', name, 'sync');
  for (const [name, { syncs }] of Object.entries(document.alerts ?? {}))
    for (const [at, sync] of (Array.isArray(syncs) ? syncs : []).entries()) use('syncs', sync, 'alerts', name, 'syncs', at);
  return uses;
}

/** Names of what is neither in the document nor known besides. */
export function nameFaults(
  document: ConfigDocument,
  known: (section: Section) => Iterable<string>,
  words: (section: Section) => string,
): FieldError[] {
  const all = new Map(SECTIONS.map((section) => [section, new Set([...Object.keys(document[section] ?? {}), ...known(section)])]));
  return namesUsed(document).flatMap(({ section, name, steps }): FieldError[] => {
    const names = all.get(section) ?? new Set();
    if (names.has(name)) return [];
    const meant = closest(name, names);
    return [{ field: placeOf(steps), reason: `${words(section)}${meant === undefined ? '' : `; was "${meant}" meant?`}` }];
  });
}
