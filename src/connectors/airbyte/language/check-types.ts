import { closest } from '../../../lib/closest.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { COMPONENT_MEMBERS, KNOWN_TYPES } from './known-types.ts';

interface Placed {
  readonly component: Readonly<Record<string, unknown>>;
  /** Where it is in the resolved manifest, such as `streams/0/retriever`. */
  readonly path: string;
  /** The names of all parameters that were handed down on the way to it. */
  readonly handedDown: ReadonlySet<string>;
}

/** Refuses a manifest with a component of a type that does not exist. The text tells the line. */
export function refuseUnknownTypes(source: Readonly<Record<string, unknown>>, text: string): void {
  for (const { component, path } of componentsOf(source)) {
    const { type } = component;
    if (typeof type !== 'string' || type in KNOWN_TYPES || isSchemaType(type)) continue;
    const near = closest(type, Object.keys(KNOWN_TYPES));
    throw new OutsideError(
      'config',
      'COMPONENT_UNKNOWN',
      `The manifest has a component of the unknown type "${type.slice(0, 80)}" at ${path}${lineOf(type, text)}.`,
      {
        field: 'manifest',
        hint: near === undefined ? 'Correct the type, or leave the component out.' : `Did you mean "${near}"?`,
      },
    );
  }
}

/** Members that no component of their type has: they have no effect, and are most likely misspelt. */
export function unknownMembers(source: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = [];
  for (const { component, path, handedDown } of componentsOf(source)) {
    const members = KNOWN_TYPES[String(component.type)]?.split(' ');
    if (!members || String(component.type).startsWith('Custom')) continue;
    for (const name of Object.keys(component)) {
      if (name === 'type' || name.startsWith('$') || members.includes(name) || handedDown.has(name)) continue;
      const near = closest(name, members);
      found.push(
        `${path} has a member "${name}", which a ${String(component.type)} does not have${near === undefined ? '' : `: did you mean "${near}"?`}`,
      );
    }
  }
  return found;
}

/** A component and all components in it. */
function* componentsOf(component: Readonly<Record<string, unknown>>, path = '', above: ReadonlySet<string> = new Set()): Generator<Placed> {
  const handedDown = above.union(new Set(Object.keys(component['$parameters'] ?? {})));
  yield { component, path: path || 'the top', handedDown };
  for (const [name, member] of Object.entries(component)) {
    const isHolder = COMPONENT_MEMBERS.has(name) || isOpenHolder(component.type, name);
    if (!isHolder || typeof member !== 'object' || member === null) continue;
    const parts: [string, unknown][] = Array.isArray(member) ? member.map((item, i) => [`/${i}`, item]) : [['', member]];
    const all =
      name === 'authenticators' && !Array.isArray(member)
        ? Object.entries(member).map(([key, value]): [string, unknown] => [`/${key}`, value])
        : parts;
    for (const [place, part] of all)
      if (isMap(part)) yield* componentsOf(part, `${path === '' ? '' : `${path}/`}${name}${place}`, handedDown);
  }
}

/** Maps whose members are components, or that are no components themselves and have some. */
function isOpenHolder(type: unknown, name: string): boolean {
  return (type === 'SelectiveAuthenticator' && name === 'authenticators') || (type === 'Spec' && name === 'config_normalization_rules');
}

/** Where a schema is taken for a component, its types are those of JSON. */
function isSchemaType(type: string): boolean {
  return ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'].includes(type);
}

function lineOf(type: string, text: string): string {
  const at = text.search(new RegExp(`type["']?\\s*:\\s*["']?${RegExp.escape(type)}\\b`));
  return at === -1 ? '' : `, in line ${text.slice(0, at).split('\n').length}`;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
