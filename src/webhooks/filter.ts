import type { EventTopic } from '../events/append.ts';
import { EVENT_TOPICS, TYPES_BEGIN } from '../events/topics.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { closest } from '../lib/closest.ts';

// Which events an endpoint wants, by their types. `*` stands for any text: `order.*`, `*.deleted`, `*`.

const BEGINNINGS = [...new Set(Object.values(TYPES_BEGIN).flat())];

/** Whether a type is meant by one of the patterns. */
export function matchesType(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) => matches(pattern, type));
}

/** Each part between stars is looked for behind the one before: the first place is as good as any, so nothing is ever tried twice. */
function matches(pattern: string, type: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === type;
  const last = pattern.slice(pattern.lastIndexOf('*') + 1);
  if (!type.startsWith(pattern.slice(0, star)) || !type.endsWith(last)) return false;
  const end = type.length - last.length;
  let place = star;
  for (const part of pattern.slice(star, pattern.length - last.length).split('*')) {
    const found = type.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return place <= end;
}

/** The topics that have events of these types. */
export function topicsOf(patterns: readonly string[]): EventTopic[] {
  return EVENT_TOPICS.filter((topic) => TYPES_BEGIN[topic].some((begin) => patterns.some((pattern) => canMatch(pattern, begin))));
}

/** For each kind of event that is meant by name, and not only as part of everything, the topics that have it. */
export function namedTopics(patterns: readonly string[]): EventTopic[][] {
  return BEGINNINGS.filter((begin) => patterns.some((pattern) => pattern.startsWith(begin))).map((begin) =>
    EVENT_TOPICS.filter((topic) => TYPES_BEGIN[topic].includes(begin)),
  );
}

/** Whether something that begins like this can be meant: what follows may be anything. */
function canMatch(pattern: string, beginning: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(beginning);
  const fixed = pattern.slice(0, star);
  return fixed.startsWith(beginning) || beginning.startsWith(fixed);
}

/** What is wrong with a pattern, if anything is. One that matches nothing would be silent for good. */
export function patternFault(pattern: string): string | undefined {
  if (!/^[a-z0-9_.*]+$/.test(pattern)) return 'must be a type of event such as order.created, with * for any text: order.*';
  if (EVENT_TYPES.some((type) => matches(pattern, type))) return undefined;
  const groups = BEGINNINGS.map((begin) => `${begin}*`);
  const meant = closest(pattern, [...EVENT_TYPES, ...groups]);
  // What is there under the same beginning says more than all beginnings.
  const alike = EVENT_TYPES.filter((type) => type.startsWith(pattern.slice(0, pattern.indexOf('.') + 1) || ' '));
  const advice = meant === undefined ? `There are ${(alike.length > 0 ? alike : groups).join(', ')}` : `Did you mean ${meant}?`;
  return `is no type of event that there is. ${advice}`;
}
