import { isJsonObject, keptNumber, scalarText } from '../../../../lib/exact-json.ts';
import { type Part, partOf } from '../parts.ts';
import { pythonText } from '../python-text.ts';

// `schema_normalization: Default`: values become what the schema says that they are, where that is possible.

const TRUE = new Set(['y', 'yes', 't', 'true', 'on', '1']);
const FALSE = new Set(['n', 'no', 'f', 'false', 'off', '0']);
const MAX_DEPTH = 64;

/** Changes a value in place, by its schema. */
export function normalize(value: unknown, schema: Part, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (isJsonObject(value)) {
    const members = value as Record<string, unknown>;
    for (const [name, inner] of Object.entries(partOf(schema['properties']) ?? {})) {
      const innerSchema = partOf(inner);
      if (!innerSchema || !Object.hasOwn(members, name)) continue;
      members[name] = converted(members[name], innerSchema);
      normalize(members[name], innerSchema, depth + 1);
    }
  } else if (Array.isArray(value)) {
    const items = partOf(schema['items']);
    if (!items) return;
    for (const [index, entry] of value.entries()) {
      value[index] = converted(entry, items);
      normalize(value[index], items, depth + 1);
    }
  }
}

function converted(value: unknown, schema: Part): unknown {
  const written = schema['type'];
  const types = Array.isArray(written) ? written.map(String) : typeof written === 'string' ? [written] : [];
  if ((value === null || value === undefined) && types.includes('null')) return null;
  const [type, ...more] = types.filter((name) => name !== 'null');
  if (type === undefined || more.length > 0) return value;
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : pythonText(value);
    case 'number': {
      const text = typeof value === 'boolean' ? String(Number(value)) : scalarText(value)?.trim();
      return text !== undefined && text !== '' && Number.isFinite(Number(text)) && typeof value === 'string' ? Number(text) : value;
    }
    case 'integer':
      return integer(value);
    case 'boolean':
      return boolean(value);
    case 'array': {
      const items = partOf(schema['items'])?.['type'];
      const isSimple = (Array.isArray(items) ? items : [items]).every((name) => name !== 'object' && name !== 'array');
      return isSimple && !Array.isArray(value) && !isJsonObject(value) ? [value] : value;
    }
    default:
      return value;
  }
}

function integer(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value !== 'string' || !/^\s*[+-]?\d+\s*$/.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number)
    ? number
    : JSON.rawJSON(
        value
          .trim()
          .replace(/^\+/, '')
          .replace(/^(-?)0+(?=\d)/, '$1'),
      );
}

function boolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    const word = value.trim().toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : value;
  }
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(Number(keptNumber(value) ?? value));
}
