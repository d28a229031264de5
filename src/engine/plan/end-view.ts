import type { Abilities, Manifest, Stream } from '../../connectors/contract.ts';
import type { Naming } from '../../connectors/naming.ts';
import { closest } from '../../lib/closest.ts';
import type { StreamDefinition } from '../definition.ts';

/** One end of a stream: what its connector can do and how it calls things, and the stream as it was discovered; undefined when it is not there. */
export interface EndView {
  readonly type: string;
  readonly abilities: Abilities;
  readonly naming: Naming;
  readonly stream: Stream | undefined;
}

export function endView({ type, abilities, naming }: Manifest, stream: Stream | undefined): EndView {
  return { type, abilities, naming, stream };
}

/** What is known when a stream is planned: what is wanted, and what there is at both ends. */
export interface Facts {
  readonly definition: StreamDefinition;
  readonly source: EndView & { readonly stream: Stream };
  readonly target: EndView;
  /** Nothing is written to the target. */
  readonly onlyReads: boolean;
}

/** Something that stands against a plan; `member` is its place within the stream, such as `fields[3].from`. */
export interface PlanFault {
  readonly member: string;
  readonly reason: string;
}

// Nobody reads a longer list, and a table may have a thousand fields.
const MOST_NAMES = 20;

/** Why a field that a definition names cannot be used. */
export function unknownField(name: string, { name: stream, fields }: Stream): string {
  const names = fields.map((field) => field.name);
  const meant = closest(name, names);
  const advice = meant === undefined ? `It has ${listed(names)}` : `Did you mean "${meant}"?`;
  return `names "${name}", which "${stream}" does not have. ${names.length === 0 ? 'It has no fields' : advice}`;
}

/** As `quoted`, but no longer than a person reads. */
export function listed(names: readonly string[]): string {
  return `${quoted(names.slice(0, MOST_NAMES))}${names.length > MOST_NAMES ? ' …' : ''}`;
}

/** `"a", "b" and "c"`. */
function quoted(names: readonly string[]): string {
  return joined(
    names.map((name) => `"${name}"`),
    'and',
  );
}

/** `a, b or c`. */
export function joined(words: readonly string[], word: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${word} ${words.at(-1)}`;
}
