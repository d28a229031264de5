import { isJsonObject } from '../../../../lib/exact-json.ts';
import type { ValueType } from '../../interpolation/interpolate.ts';
import { evaluate, evaluateAs, evaluateText, evaluateTexts, holds, type TemplateScope, scopeOf } from '../evaluate.ts';
import { isTrue, type Part, partOf, partsOf, textAt, typeOf, unknownPart } from '../parts.ts';
import type { AirbyteSession } from '../session.ts';
import { putAt, removeAt, stepsOf, valueAt } from './dpath.ts';

export type MutableRecord = Record<string, unknown>;

/** Changes a record in place. `slice` is what expressions see of the slice that it is from. */
export type Transform = (record: MutableRecord, slice: unknown) => void;

export function transformOf(session: AirbyteSession, part: Part): Transform {
  const scope = scopeOf(session.config, part);
  switch (typeOf(part)) {
    case 'AddFields':
      return addFields(part, scope);
    case 'RemoveFields':
      return removeFields(part, scope);
    case 'KeysToLower':
      return (record) => renamed(record, (name) => name.toLowerCase());
    case 'KeysToSnakeCase':
      return (record) => replaceAll(record, deeplyRenamed(record, snakeCase));
    case 'KeysReplace':
      return (record, slice) => {
        const variables = { record, stream_slice: slice };
        const [old, fresh] = [evaluateText(part['old'], scope, variables), evaluateText(part['new'], scope, variables)];
        replaceAll(
          record,
          deeplyRenamed(record, (name) => name.replaceAll(old, fresh)),
        );
      };
    case 'FlattenFields':
      return (record) => replaceAll(record, flattened(record, part['flatten_lists'] !== false));
    case 'DpathFlattenFields':
      return dpathFlatten(part, scope);
    default:
      throw unknownPart(part, 'transformation');
  }
}

const TYPES: Readonly<Record<string, ValueType>> = { string: 'string', number: 'number', integer: 'integer', boolean: 'boolean' };

function addFields(part: Part, scope: TemplateScope): Transform {
  const condition = textAt(part, 'condition') ?? '';
  const fields = partsOf(part['fields']).map((field) => ({
    path: stepsOf(field['path']),
    template: field['value'],
    type: TYPES[textAt(field, 'value_type') ?? ''],
    scope: { config: scope.config, parameters: { ...scope.parameters, ...scopeOf(scope.config, field).parameters } },
  }));
  return (record, slice) => {
    const variables = { record, stream_slice: slice };
    for (const { path, template, type, scope: own } of fields) {
      const value = type ? evaluateAs(template, [type], own, variables) : evaluate(template, own, variables);
      if (condition === '' || holds(condition, scope, { ...variables, value, path })) putAt(record, path, value);
    }
  };
}

function removeFields(part: Part, scope: TemplateScope): Transform {
  const condition = textAt(part, 'condition') ?? '';
  const pointers = (Array.isArray(part['field_pointers']) ? part['field_pointers'] : []).map(stepsOf);
  return (record) => {
    for (const pointer of pointers)
      removeAt(record, pointer, condition === '' ? undefined : (value) => holds(condition, scope, { property: value }));
  };
}

function dpathFlatten(part: Part, scope: TemplateScope): Transform {
  const path = evaluateTexts(Array.isArray(part['field_path']) ? part['field_path'] : [], scope);
  const keys = partOf(part['key_transformation']);
  const [prefix, suffix] = [evaluateText(keys?.['prefix'], scope), evaluateText(keys?.['suffix'], scope)];
  return (record) => {
    const found = valueAt(record, path);
    if (!isJsonObject(found)) return;
    const members = Object.fromEntries(Object.entries(found).map(([name, value]) => [prefix + name + suffix, value]));
    if (isTrue(part, 'replace_record') && Object.keys(members).length > 0) {
      replaceAll(record, members);
      return;
    }
    if (Object.keys(members).some((name) => Object.hasOwn(record, name))) return;
    if (isTrue(part, 'delete_origin_value')) removeAt(record, path);
    Object.assign(record, members);
  };
}

function replaceAll(record: MutableRecord, members: Readonly<MutableRecord>): void {
  const kept = { ...members };
  for (const name of Object.keys(record)) delete record[name];
  Object.assign(record, kept);
}

function renamed(record: MutableRecord, rename: (name: string) => string): void {
  replaceAll(record, Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), value])));
}

function deeplyRenamed(record: Readonly<MutableRecord>, rename: (name: string) => string): MutableRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [rename(name), isJsonObject(value) ? deeplyRenamed(value, rename) : value]),
  );
}

const TOKEN = /[A-Z]+[a-z]*|[a-z]+|\d+|([^a-zA-Z\d]+)/g;

/** Letters that are more than another one with an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'TH',
  ð: 'd',
  Ð: 'D',
  ı: 'i',
};

/** `FirstName`, `first name` and `first-name` as `first_name`. Accents are left out. */
function snakeCase(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter);
  let tokens = [...plain.matchAll(TOKEN)].map(([token, other]) => (other === undefined ? token : ''));
  if (tokens.length >= 3) tokens = [tokens[0] as string, ...tokens.slice(1, -1).filter((token) => token !== ''), tokens.at(-1) as string];
  if (/^\d+$/.test(tokens[0] ?? '')) tokens.unshift('');
  return tokens.map((token) => token.toLowerCase()).join('_');
}

/** All values of a record on one level. A name that is there already, or comes from a list, has the names above it in front. */
function flattened(record: Readonly<MutableRecord>, flattensLists: boolean): MutableRecord {
  const stack: [unknown, string][] = [[record, '_']];
  const flat: MutableRecord = {};
  let isForced = false;
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [value, above] = top;
    if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value))
        stack.push([member, Object.hasOwn(flat, name) || isForced ? `${above}.${name}` : name]);
    } else if (Array.isArray(value) && flattensLists) {
      for (const [index, entry] of value.entries()) {
        isForced = true;
        stack.push([entry, `${above}.${index}`]);
      }
    } else flat[above] = value;
  }
  return flat;
}
