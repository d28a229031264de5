import { OutsideError } from '../../../outside/errors.ts';
import { closest } from '../../../lib/closest.ts';

// References: a text that begins with "#/" stands for what the manifest has at that place, and `$ref` in a map for the
// members of another, of which its own count more.

/** With what references repeat, a manifest has at most so many values. */
const MOST_NODES = 500_000;
const DEEPEST = 200;
/** The members of these are settings and no components: what looks like a reference in them is none. */
const SETTINGS_MEMBERS = new Set(['config_overrides']);
const LEGACY = /^\*ref\((.+)\)$/;

interface Resolved {
  readonly value: unknown;
  /** How many maps, lists and values it has. */
  readonly nodes: number;
}

/** The manifest with all of its references replaced. Parts may be shared: none of them may be changed. */
export function resolveReferences(manifest: Record<string, unknown>): Record<string, unknown> {
  return new Resolver(manifest).resolve(manifest, '').value as Record<string, unknown>;
}

class Resolver {
  readonly #manifest: Record<string, unknown>;
  readonly #known = new Map<string, Resolved>();
  /** The references that are being followed, and where they stand. */
  readonly #following: string[] = [];
  #depth = 0;

  constructor(manifest: Record<string, unknown>) {
    this.#manifest = manifest;
  }

  resolve(node: unknown, path: string): Resolved {
    if (typeof node === 'string') return this.#text(node, path);
    if (typeof node !== 'object' || node === null) return { value: node, nodes: 1 };
    if (++this.#depth > DEEPEST) throw refused(`it is nested deeper than ${DEEPEST} at ${path}`, 'Flatten it; no component needs that.');
    const resolved = Array.isArray(node) ? this.#list(node, path) : this.#map(node as Record<string, unknown>, path);
    this.#depth--;
    if (resolved.nodes > MOST_NODES)
      throw refused(
        `with its references replaced, ${path || 'it'} has more than ${MOST_NODES} values`,
        'References to references multiply: leave some of them out.',
      );
    return resolved;
  }

  #list(list: readonly unknown[], path: string): Resolved {
    let nodes = 1;
    const value = list.map((item, i) => {
      const resolved = this.resolve(item, `${path}/${i}`);
      nodes += resolved.nodes;
      return resolved.value;
    });
    return { value, nodes };
  }

  #map(map: Record<string, unknown>, path: string): Resolved {
    let nodes = 1;
    const own: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(map)) {
      if (name === '$ref') continue;
      const resolved = SETTINGS_MEMBERS.has(name) ? { value: member, nodes: 1 } : this.resolve(member, `${path}/${name}`);
      own[name] = resolved.value;
      nodes += resolved.nodes;
    }
    if (!('$ref' in map)) return { value: own, nodes };
    const referred = this.resolve(map['$ref'], `${path}/$ref`);
    if (!isMap(referred.value)) return referred;
    return { value: { ...referred.value, ...own }, nodes: nodes + referred.nodes };
  }

  #text(text: string, path: string): Resolved {
    const reference = referenceOf(text);
    if (reference === undefined) return { value: text, nodes: 1 };
    const known = this.#known.get(reference);
    if (known) return known;
    if (this.#following.includes(reference)) {
      const cycle = [...this.#following.slice(this.#following.indexOf(reference)), reference];
      throw refused(`its references go in a circle: ${cycle.join(' → ')}`, 'Break the circle: a component cannot be a part of itself.');
    }
    this.#following.push(reference);
    const resolved = this.resolve(this.#lookUp(reference, path), reference.slice(1));
    this.#following.pop();
    this.#known.set(reference, resolved);
    return resolved;
  }

  /** Names may have slashes in them: at each step all that is left is tried as one name first. */
  #lookUp(reference: string, path: string): unknown {
    let node: unknown = this.#manifest;
    let rest = reference.slice(2);
    while (rest !== '') {
      const whole = memberOf(node, rest);
      if (whole !== undefined) return whole;
      const slash = rest.indexOf('/');
      const head = slash === -1 ? rest : rest.slice(0, slash);
      const next = memberOf(node, head);
      if (next === undefined) throw missing(reference, head, node, path);
      node = next;
      rest = slash === -1 ? '' : rest.slice(slash + 1);
    }
    return node;
  }
}

function referenceOf(text: string): string | undefined {
  if (text.startsWith('#/')) return text;
  const legacy = LEGACY.exec(text);
  return legacy ? `#/${(legacy[1] as string).replaceAll('.', '/')}` : undefined;
}

function memberOf(node: unknown, name: string): unknown {
  if (Array.isArray(node)) return /^-?\d+$/.test(name) ? node.at(Number(name)) : undefined;
  return isMap(node) && Object.hasOwn(node, name) ? node[name] : undefined;
}

function missing(reference: string, name: string, node: unknown, path: string): OutsideError {
  const near = isMap(node) ? closest(name, Object.keys(node)) : undefined;
  const hint = near === undefined ? 'Correct the reference, or add what it names.' : `Did you mean "${near}"?`;
  return refused(`the reference ${reference} at ${path} names "${name}", which is not there`, hint);
}

function refused(reason: string, hint: string): OutsideError {
  return new OutsideError('config', 'MANIFEST_REFERENCE', `The manifest cannot be resolved: ${reason}.`, { field: 'manifest', hint });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
