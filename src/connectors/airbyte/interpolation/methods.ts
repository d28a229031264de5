import { TemplateError, TypeMismatch } from './failures.ts';
import { isoWeek, strftime, weekdayOf } from './moment-format.ts';
import { CalendarDay, Delta, dayText, Moment, momentText } from './moments.ts';
import { bound, intArgument, textArgument } from './parameters.ts';
import { TEXT_METHODS } from './text-methods.ts';
import {
  type Arguments,
  Callable,
  Dict,
  entriesOf,
  Facade,
  Float,
  isDict,
  isFloat,
  isInt,
  lookUp,
  type PlainObject,
  Tuple,
} from './values.ts';
import { spend } from './work.ts';
import { compare, isEqual, itemsOf, newDict, textOf } from './written.ts';

// What can be asked of values by `.name`. Nothing else can: there is no way from a value to the program around it.

type Call = (args: readonly unknown[], named: Arguments) => unknown;

/** The method or property of a value; undefined when it has none of that name. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    const method = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
    return method && new Callable(name, (args, named) => method(value, args, named));
  }
  if (Array.isArray(value)) return method(name, listMethods(value));
  if (value instanceof Facade && Object.hasOwn(value.attributes, name)) return value.attributes[name];
  if (isDict(value)) return name === 'get' ? new Callable(name, getter(value)) : method(name, dictMethods(value));
  if (value instanceof Moment) return momentMember(value, name);
  if (value instanceof CalendarDay) return dayMember(value, name);
  if (value instanceof Delta) return deltaMember(value, name);
  if (isInt(value) || isFloat(value)) return numberMember(value, name);
  return undefined;
}

function method(name: string, methods: Readonly<Record<string, Call>>): Callable | undefined {
  const call = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return call && new Callable(name, call);
}

/** Asked for more often than all others together. */
function getter(dict: Dict | PlainObject | Facade): Call {
  return ([key, missing]) => firstOf(lookUp(dict, key), missing) ?? null;
}

function dictMethods(dict: Dict | PlainObject | Facade): Readonly<Record<string, Call>> {
  return {
    items: () => entriesOf(dict).map(([key, value]) => Tuple.from([key, value])),
    keys: () => entriesOf(dict).map(([key]) => key),
    values: () => entriesOf(dict).map(([, value]) => value),
    copy: () => newDict(entriesOf(dict)),
    update: ([other], named) => {
      const own = changeable(dict);
      for (const [key, value] of other === undefined ? [] : isDict(other) ? entriesOf(other) : pairsOf(other)) own.set(key, value);
      for (const [key, value] of named) own.set(key, value);
      return null;
    },
    setdefault: ([key, value]) => {
      const found = lookUp(dict, key);
      if (found !== undefined) return found;
      changeable(dict).set(key, value ?? null);
      return value ?? null;
    },
    pop: ([key, missing]) => {
      const found = firstOf(lookUp(dict, key), missing);
      if (found === undefined) throw new TemplateError('A template takes a key out of a dict that does not have it.');
      if (lookUp(dict, key) !== undefined) changeable(dict).delete(key);
      return found;
    },
  };
}

/** None counts as well. */
function firstOf(found: unknown, missing: unknown): unknown {
  return found === undefined ? missing : found;
}

/** Only what a template has made itself can be changed by it. */
function changeable(dict: unknown): Dict {
  if (dict instanceof Dict) return dict;
  throw new TemplateError(
    'A template changes a record, a setting or another value that it was given.',
    'Let it make a copy: {% set copy = dict(value) %}.',
  );
}

export function pairsOf(value: unknown): (readonly [unknown, unknown])[] {
  return itemsOf(value).map((pair) => {
    const items = itemsOf(pair);
    if (items.length !== 2) throw new TemplateError('A dict is made of pairs, and a template gives it something else.');
    return [items[0], items[1]];
  });
}

function listMethods(list: unknown[]): Readonly<Record<string, Call>> {
  const own = (): unknown[] => {
    if (list instanceof Tuple || !made.has(list))
      throw new TemplateError('A template changes a list that it was given.', 'Let it make a copy: {% set copy = list[:] %}.');
    spend(1);
    return list;
  };
  return {
    index: ([item]) => {
      const at = list.findIndex((candidate) => isEqual(candidate, item));
      if (at === -1) throw new TemplateError('A template looks for an item that its list does not have.');
      return at;
    },
    count: ([item]) => list.filter((candidate) => isEqual(candidate, item)).length,
    copy: () => madeList([...list]),
    append: ([item]) => {
      own().push(item);
      return null;
    },
    extend: ([items]) => {
      own().push(...itemsOf(items));
      return null;
    },
    insert: ([at, item]) => {
      own().splice(intArgument('insert', at), 0, item);
      return null;
    },
    pop: ([at]) => {
      const place = intArgument('pop', at, -1);
      const [taken] = own().splice(place, 1);
      if (taken === undefined) throw new TemplateError('A template takes an item out of a list that has none there.');
      return taken;
    },
    remove: ([item]) => {
      const at = list.findIndex((candidate) => isEqual(candidate, item));
      if (at === -1) throw new TemplateError('A template removes an item that its list does not have.');
      own().splice(at, 1);
      return null;
    },
    reverse: () => {
      own().reverse();
      return null;
    },
    sort: (_, named) => {
      own().sort((a, b) => (named.get('reverse') === true ? compare(b, a, '<') : compare(a, b, '<')));
      return null;
    },
    clear: () => {
      own().length = 0;
      return null;
    },
  };
}

const made = new WeakSet<object>();

/** A list that the template itself has made, and may change. */
export function madeList<T extends unknown[]>(list: T): T {
  made.add(list);
  return list;
}

function momentMember(moment: Moment, name: string): unknown {
  const { fields } = moment;
  if (name in fields && name !== 'micro') return fields[name as keyof typeof fields];
  if (name === 'microsecond') return fields.micro;
  return (
    method(name, {
      strftime: ([pattern]) => strftime(moment, textArgument('strftime', pattern)),
      isoformat: (args, named) => isoformat(moment, args, named),
      timestamp: () => new Float(moment.timestamp),
      date: () => moment.date,
      utcoffset: () => (moment.offset === undefined ? null : new Delta(0, moment.offset, 0)),
      replace: (_, named) => replaced(moment, named),
      astimezone: () => moment.withOffset(0),
    }) ?? calendarMember(fields, name)
  );
}

const PRECISIONS: Readonly<Record<string, RegExp>> = {
  hours: /:\d\d:\d\d(?:\.\d+)?/,
  minutes: /(?<=:\d\d):\d\d(?:\.\d+)?/,
  seconds: /\.\d+/,
  milliseconds: /(?<=\.\d{3})\d{3}/,
};

function isoformat(moment: Moment, args: readonly unknown[], named: Arguments): string {
  const [between, precision] = bound('isoformat', ['sep', 'timespec'], args, named);
  const separator = between === undefined ? 'T' : textArgument('isoformat', between);
  if (precision === undefined || precision === 'auto') return momentText(moment, separator);
  const whole = momentText(new Moment(moment.seconds, moment.micro || 1, moment.offset), separator);
  const exact = moment.micro === 0 ? whole.replace('.000001', '.000000') : whole;
  return exact.replace(PRECISIONS[textOf(precision)] ?? /$^/, '');
}

function replaced(moment: Moment, named: Arguments): Moment {
  const fields: Record<string, number> = { ...moment.fields };
  for (const [name, value] of named) {
    const field = name === 'microsecond' ? 'micro' : name;
    if (name === 'tzinfo') return new Moment(moment.seconds, moment.micro, undefined);
    if (!(field in fields)) throw new TypeMismatch(`replace has no argument ${name}`);
    fields[field] = intArgument('replace', value);
  }
  return Moment.of(fields as unknown as Moment['fields'], moment.offset);
}

function dayMember(day: CalendarDay, name: string): unknown {
  if (name === 'year' || name === 'month' || name === 'day') return day[name];
  return (
    method(name, {
      strftime: ([pattern]) => strftime(day, textArgument('strftime', pattern)),
      isoformat: () => dayText(day),
      replace: (_, named) => {
        const field = (key: 'year' | 'month' | 'day'): number => intArgument('replace', named.get(key), day[key]);
        return new CalendarDay(field('year'), field('month'), field('day'));
      },
    }) ?? calendarMember(day, name)
  );
}

function calendarMember(day: { year: number; month: number; day: number }, name: string): unknown {
  const week = isoWeek(day);
  return method(name, {
    weekday: () => weekdayOf(day),
    isoweekday: () => weekdayOf(day) + 1,
    isocalendar: () => Tuple.from([week.year, week.week, weekdayOf(day) + 1]),
    toordinal: () => new CalendarDay(day.year, day.month, day.day).days + 719_163,
  });
}

function deltaMember(delta: Delta, name: string): unknown {
  if (name === 'days' || name === 'seconds') return delta[name];
  if (name === 'microseconds') return delta.micros;
  return name === 'total_seconds' ? new Callable(name, () => new Float(delta.totalSeconds)) : undefined;
}

function numberMember(value: number | bigint | Float, name: string): unknown {
  if (name === 'is_integer') return new Callable(name, () => Number.isInteger(value instanceof Float ? value.value : Number(value)));
  return name === 'bit_length' && isInt(value) ? new Callable(name, () => BigInt(value).toString(2).replace('-', '').length) : undefined;
}
