import { computed } from './compute.ts';
import { TemplateError, TypeMismatch } from './failures.ts';
import type { FilterGiven, TemplateFilter } from './filter.ts';
import { madeList, memberOf } from './methods.ts';
import { bound, intArgument } from './parameters.ts';
import { entriesOf, fromOutside, isDict, lookUp, orMissing, Tuple, Undefined } from './values.ts';
import { spend, spendOnText } from './work.ts';
import { compare, isEqual, isTruthy, itemsOf, newDict, reprOf, textOf } from './written.ts';

// Jinja's filters of lists and dicts. Those that answer lazily there answer lists here.

/** The member of an item that a dotted name or a number tells. */
function memberAt(item: unknown, path: unknown): unknown {
  if (path === undefined || path === null) return item;
  return textOf(path)
    .split('.')
    .reduce<unknown>((value, name) => {
      if (value instanceof Undefined) value.use();
      const found = isDict(value) ? lookUp(value, name) : undefined;
      if (found !== undefined) return found;
      if (Array.isArray(value) && /^\d+$/.test(name))
        return fromOutside(value[Number(name)] === undefined ? new Undefined(name) : value[Number(name)]);
      return orMissing(memberOf(value, name), name);
    }, item);
}

function folded(value: unknown, isCaseSensitive: unknown): unknown {
  return typeof value === 'string' && !isTruthy(isCaseSensitive ?? false) ? value.toLowerCase() : value;
}

function sorted(value: unknown, { args, named }: FilterGiven): unknown[] {
  const [reverse, isCaseSensitive, attribute] = bound('sort', ['reverse', 'case_sensitive', 'attribute'], args, named);
  const names = attribute === undefined || attribute === null ? [undefined] : textOf(attribute).split(',');
  const items = itemsOf(value).map((item) => ({ item, keys: names.map((name) => folded(memberAt(item, name), isCaseSensitive)) }));
  spend(items.length * 10);
  const sign = reverse !== undefined && isTruthy(reverse) ? -1 : 1;
  items.sort((a, b) => {
    for (const [i, key] of a.keys.entries()) if (!isEqual(key, b.keys[i])) return sign * compare(key, b.keys[i], '<');
    return 0;
  });
  return madeList(items.map(({ item }) => item));
}

function unique(value: unknown, { args, named }: FilterGiven): unknown[] {
  const [isCaseSensitive, attribute] = bound('unique', ['case_sensitive', 'attribute'], args, named);
  const seen = newDict();
  return madeList(
    itemsOf(value).filter((item) => {
      const key = folded(memberAt(item, attribute), isCaseSensitive);
      if (seen.has(key)) return false;
      seen.set(key, true);
      return true;
    }),
  );
}

function extreme(name: string, sign: 1 | -1): TemplateFilter {
  return (value, { args, named }) => {
    const [isCaseSensitive, attribute] = bound(name, ['case_sensitive', 'attribute'], args, named);
    const items = itemsOf(value);
    if (items.length === 0) return new Undefined('an empty list has none');
    const key = (item: unknown): unknown => folded(memberAt(item, attribute), isCaseSensitive);
    return items.reduce((best, item) => (compare(key(item), key(best), '<') * sign > 0 ? item : best));
  };
}

/** Where nothing is given, there is nothing to go through. */
function itemsOrNone(value: unknown): readonly unknown[] {
  return isTruthy(value) ? itemsOf(value) : [];
}

function mapped(value: unknown, given: FilterGiven): unknown[] {
  const attribute = given.named.get('attribute');
  if (attribute !== undefined) {
    const missing = given.named.get('default');
    return madeList(
      itemsOrNone(value).map((item) => {
        const member = memberAt(item, attribute);
        return member instanceof Undefined && missing !== undefined ? missing : member;
      }),
    );
  }
  const [name, ...args] = given.args;
  if (typeof name !== 'string')
    throw new TemplateError('The filter map needs the name of a filter or an attribute.', "Write map('lower') or map(attribute='name').");
  return madeList(itemsOrNone(value).map((item) => given.filter(name, item, args, given.named)));
}

/** Keeps the items of which a test holds, or does not hold. */
function selected(isKept: boolean, byAttribute: boolean): TemplateFilter {
  return (value, { args, test }) => {
    const [attribute, ...rest] = byAttribute ? args : [undefined, ...args];
    if (byAttribute && attribute === undefined) throw new TypeMismatch('selectattr needs the name of an attribute');
    const [name, ...more] = rest;
    return madeList(
      itemsOrNone(value).filter((item) => {
        const member = memberAt(item, attribute);
        return isKept === (name === undefined ? isTruthy(member) : test(textOf(name), member, more));
      }),
    );
  };
}

function joined(value: unknown, { args, named }: FilterGiven): string {
  const [between, attribute] = bound('join', ['d', 'attribute'], args, named);
  const items = itemsOf(value).map((item) => textOf(memberAt(item, attribute)));
  const separator = between === undefined ? '' : textOf(between);
  spendOnText(items.reduce((sum, item) => sum + item.length + separator.length, 0));
  return items.join(separator);
}

function grouped(value: unknown, { args, named }: FilterGiven): unknown[] {
  const [attribute, missing, isCaseSensitive] = bound('groupby', ['attribute', 'default', 'case_sensitive'], args, named);
  const groups: { key: unknown; shown: unknown; items: unknown[] }[] = [];
  for (const item of itemsOf(value)) {
    const member = memberAt(item, attribute);
    const shown = member instanceof Undefined && missing !== undefined ? missing : member;
    const key = folded(shown, isCaseSensitive);
    const group = groups.find((candidate) => isEqual(candidate.key, key));
    if (group) group.items.push(item);
    else groups.push({ key, shown, items: [item] });
  }
  groups.sort((a, b) => compare(a.key, b.key, '<'));
  return madeList(groups.map(({ shown, items }) => Tuple.from([shown, items])));
}

function sortedDict(value: unknown, { args, named }: FilterGiven): unknown[] {
  const [isCaseSensitive, by, reverse] = bound('dictsort', ['case_sensitive', 'by', 'reverse'], args, named);
  if (!isDict(value)) throw new TypeMismatch('dictsort needs a dict');
  const at = by === 'value' ? 1 : 0;
  const sign = reverse !== undefined && isTruthy(reverse) ? -1 : 1;
  return madeList(
    entriesOf(value)
      .toSorted((a, b) => sign * compare(folded(a[at], isCaseSensitive), folded(b[at], isCaseSensitive), '<'))
      .map((pair) => Tuple.from(pair)),
  );
}

function summed(value: unknown, given: FilterGiven): unknown {
  const [attribute, start] = bound('sum', ['attribute', 'start'], given.args, given.named);
  return itemsOf(value).reduce<unknown>((sum, item) => computed('+', sum, memberAt(item, attribute)), start ?? 0);
}

function batched(value: unknown, { args, named }: FilterGiven): unknown[] {
  const [size, fill] = bound('batch', ['linecount', 'fill_with'], args, named);
  const count = intArgument('batch', size);
  if (count < 1) throw new TemplateError('A template makes batches of no items.');
  const items = itemsOf(value);
  const batches: unknown[][] = [];
  for (let at = 0; at < items.length; at += count) batches.push(madeList(items.slice(at, at + count)));
  const last = batches.at(-1);
  const missing = last && fill !== undefined && fill !== null ? count - last.length : 0;
  spend(missing);
  for (let i = 0; i < missing; i++) last?.push(fill);
  return madeList(batches);
}

function reversed(value: unknown): unknown {
  if (typeof value === 'string') return Array.from(value).toReversed().join('');
  return madeList(itemsOf(value).toReversed());
}

export const LIST_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  first: (value) => (itemsOf(value).length > 0 ? itemsOf(value)[0] : new Undefined('an empty list has no first item')),
  last: (value) => (itemsOf(value).length > 0 ? itemsOf(value).at(-1) : new Undefined('an empty list has no last item')),
  list: (value) => madeList([...itemsOf(value)]),
  items: (value) => {
    if (value instanceof Undefined) return [];
    if (!isDict(value)) throw new TypeMismatch('items needs a dict');
    return entriesOf(value).map((pair) => Tuple.from(pair));
  },
  join: joined,
  map: mapped,
  select: selected(true, false),
  reject: selected(false, false),
  selectattr: selected(true, true),
  rejectattr: selected(false, true),
  sort: sorted,
  unique,
  min: extreme('min', -1),
  max: extreme('max', 1),
  sum: summed,
  groupby: grouped,
  dictsort: sortedDict,
  batch: batched,
  reverse: reversed,
  pprint: (value) => reprOf(value),
};
