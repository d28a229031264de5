import { OutsideError } from '../../../outside/errors.ts';
import { CUSTOM_TYPES, DEFAULT_TYPES } from './default-types.ts';

// `$parameters` of a component are handed down to all components in it, and fill members that these do not have. On
// the way components without a type get the one that their place asks for.

type Members = Record<string, unknown>;

const MOST_COMPONENT_MEMBERS = 500_000;

/** The component with types and parameters in it and all of its parts. What it is made of is left as it is. */
export function propagate(component: Members, parent: Members = {}, place = '', parentCounts = false): Members {
  return new Propagation(parentCounts).component(place, component, parent);
}

class Propagation {
  readonly #parentCounts: boolean;
  #members = 0;

  constructor(parentCounts: boolean) {
    this.#parentCounts = parentCounts;
  }

  component(place: string, component: Members, parent: Members): Members {
    const result = { ...component };
    this.#count(Object.keys(result).length);
    if (!('type' in result)) {
      const type = 'class_name' in result ? CUSTOM_TYPES[place] : DEFAULT_TYPES[place];
      if (type !== undefined) result.type = type;
    }
    const own = parametersOf(result);
    const parameters = this.#parentCounts ? { ...own, ...parent } : { ...parent, ...own };
    if (isJsonSchema(result)) return result;
    if (!('type' in result)) return this.#nested(place, result, parameters);
    for (const [name, value] of Object.entries(parameters)) if (isEmpty(result[name])) result[name] = value;
    this.#parts(result, parameters);
    if (Object.keys(parameters).length > 0) result['$parameters'] = parameters;
    return result;
  }

  /** The parts of a component. A parameter is not handed down to the member that has its name: that would never end. */
  #parts(result: Members, parameters: Members): void {
    for (const [name, value] of Object.entries(result)) {
      if (typeof value !== 'object' || value === null) continue;
      const excluded = parameters[name];
      delete parameters[name];
      const place = `${String(result.type)}.${name}`;
      result[name] = Array.isArray(value)
        ? value.map((item) => (isMembers(item) ? this.component(place, item, parameters) : item))
        : this.component(place, value as Members, parameters);
      if (!isEmpty(excluded)) parameters[name] = excluded;
    }
  }

  /** A map that is no component may have components as members. */
  #nested(place: string, map: Members, parameters: Members): Members {
    for (const [name, value] of Object.entries(map))
      if (isMembers(value) && !isEmpty(value.type)) map[name] = this.component(place, value, parameters);
    return map;
  }

  #count(members: number): void {
    this.#members += members + 1;
    if (this.#members > MOST_COMPONENT_MEMBERS)
      throw new OutsideError(
        'config',
        'MANIFEST_TOO_LARGE',
        `With its parameters handed down, the manifest has more than ${MOST_COMPONENT_MEMBERS} values.`,
        {
          field: 'manifest',
          hint: 'Parameters that hold components multiply: leave some of them out.',
        },
      );
  }
}

/** Takes the parameters out of a component; `$options` is what they were called at first. */
function parametersOf(component: Members): Members {
  const found: Members = {};
  for (const name of ['$options', '$parameters']) {
    if (isMembers(component[name])) Object.assign(found, component[name]);
    delete component[name];
  }
  return found;
}

/** A component's type is a text. `object`, lists and maps are found in JSON schemas. */
function isJsonSchema({ type }: Members): boolean {
  return type === 'object' || (typeof type === 'object' && type !== null);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What Python takes for false. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isMembers(value)) return Object.keys(value).length === 0;
  return !value;
}
