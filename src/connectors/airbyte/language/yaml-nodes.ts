import { OutsideError } from '../../../outside/errors.ts';
import type { YamlCursor } from './yaml-cursor.ts';
import { plainValue, taggedValue } from './yaml-values.ts';

/** What may stand before a value: `&name` and `!!tag`. */
export interface YamlProperties {
  readonly anchor?: string;
  readonly tag?: string;
  readonly isGiven?: boolean;
  /** How many values were read before it. */
  readonly since?: number;
}

/** With what anchors repeat, a manifest has at most so many maps, lists and values. */
const MOST_NODES = 500_000;
const MOST_ANCHORS = 10_000;
const TAG = /!(?:<[^>\s]*>|[^\s,[\]{}]*)/y;
const ANCHOR = /[&*][^\s,[\]{}:]+(?::(?=[^\s])[^\s,[\]{}:]+)*/y;
const STANDARD = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/;
/** Stands for the name `<<`, whose maps are taken over. */
const MERGE = '\0<<';

/** Makes values of what was read, counts them, and remembers anchors and lines. */
export class YamlNodes {
  readonly #cursor: YamlCursor;
  readonly #anchors = new Map<string, { readonly value: unknown; readonly nodes: number }>();
  /** What a map takes over from others, until all of its own members are known. */
  readonly #merged = new Map<object, Record<string, unknown>[]>();
  #nodes = 0;

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
  }

  properties(): YamlProperties {
    const cursor = this.#cursor;
    let found: YamlProperties = {};
    for (;;) {
      const sign = cursor.peek();
      if (sign !== '&' && sign !== '!') return found;
      const text = this.#word(sign === '&' ? ANCHOR : TAG);
      found = this.merge(found, sign === '&' ? { anchor: text.slice(1), isGiven: true, since: this.#nodes } : { tag: text, isGiven: true });
      if (sign === '&') this.#begun(text.slice(1));
      cursor.skipSpaces();
    }
  }

  /** An anchor is not there for what stands within it. */
  #begun(name: string): void {
    this.#anchors.delete(name);
    if (this.#anchors.size >= MOST_ANCHORS) throw tooLarge(`it has more than ${MOST_ANCHORS} anchors`);
  }

  merge(one: YamlProperties, other: YamlProperties): YamlProperties {
    const isTwice = (one.anchor !== undefined && other.anchor !== undefined) || (one.tag !== undefined && other.tag !== undefined);
    if (isTwice) this.#cursor.fail('two anchors or two tags stand before one value');
    return { ...one, ...other };
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#cursor.at;
    const found = pattern.exec(this.#cursor.text)?.[0];
    if (!found) return this.#cursor.fail(`a name must follow ${JSON.stringify(this.#cursor.peek())}`);
    this.#cursor.at += found.length;
    return found;
  }

  alias(): unknown {
    const name = this.#word(ANCHOR).slice(1);
    const found = this.#anchors.get(name);
    if (!found)
      return this.#cursor.fail(`there is no anchor &${name} before *${name}`, 'An anchor stands above its aliases, and not around them.');
    this.#count(found.nodes);
    return found.value;
  }

  /** A value with its properties. `plain` is a word without quotation marks, as it is written. */
  finish(properties: YamlProperties, value: unknown, plain: string | undefined): unknown {
    this.#count(1);
    const finished = typeof value === 'string' ? this.#scalar(properties.tag, value, plain) : this.#collection(properties.tag, value);
    if (properties.anchor !== undefined)
      this.#anchors.set(properties.anchor, { value: finished, nodes: this.#nodes - (properties.since ?? 0) });
    return finished;
  }

  finishKey(properties: YamlProperties, value: unknown, plain: string | undefined): string {
    if (plain === '<<' && properties.tag === undefined) return MERGE;
    return this.keyOf(this.finish(properties, value, plain));
  }

  /** The name of a member, as JSON has it. */
  keyOf(value: unknown): string {
    if (typeof value === 'object' && value !== null) return this.#cursor.fail('a map or a list cannot be the name of a member');
    const key = typeof value === 'number' && Object.is(value, -0) ? '0' : String(value);
    if (key === '__proto__') this.#cursor.fail('a member cannot be called __proto__');
    return key;
  }

  set(map: Record<string, unknown>, key: string, value: unknown): void {
    if (key !== MERGE) {
      map[key] = value;
      return;
    }
    // Of a list the first counts most; of several <<, the last.
    const merged = Array.isArray(value) ? value.toReversed() : [value];
    if (!merged.every(isMap))
      this.#cursor.fail('what << takes over is no map', 'Write << : *name with the anchor of a map, or a list of such.');
    this.#merged.set(map, [...(this.#merged.get(map) ?? []), ...(merged as Record<string, unknown>[])]);
  }

  /** The map with what it takes over. */
  endMap(map: Record<string, unknown>): Record<string, unknown> {
    const merged = this.#merged.get(map);
    if (!merged) return map;
    this.#merged.delete(map);
    const own = { ...map };
    for (const key of Object.keys(map)) delete map[key];
    return Object.assign(map, ...merged, own) as Record<string, unknown>;
  }

  #scalar(tag: string | undefined, text: string, plain: string | undefined): unknown {
    if (tag === undefined) return plain === undefined ? text : plainValue(plain);
    if (tag === '!') return text;
    const value = taggedValue(STANDARD.exec(tag)?.[1] ?? '', text);
    if (value === undefined) this.#cursor.fail(`the tag ${tag} cannot be used for this value`, 'Leave out the tag, or use !!str.');
    return value;
  }

  #collection(tag: string | undefined, value: unknown): unknown {
    if (tag === undefined || tag === '!') return value;
    if (STANDARD.exec(tag)?.[1] !== (Array.isArray(value) ? 'seq' : 'map'))
      this.#cursor.fail(`the tag ${tag} is not known`, 'Leave out the tag.');
    return value;
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > MOST_NODES) throw tooLarge(`it has more than ${MOST_NODES} values, with what its anchors repeat`);
  }
}

function tooLarge(reason: string): OutsideError {
  return new OutsideError('config', 'MANIFEST_TOO_LARGE', `The manifest is too large: ${reason}.`, {
    field: 'manifest',
    hint: 'Anchors that repeat anchors multiply: leave some of them out.',
  });
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
