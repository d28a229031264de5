import { TemplateError, TypeMismatch } from './failures.ts';
import { Float, isDict, isInt, isNumeric, lookUp, numberOf, Tuple, Undefined } from './values.ts';
import { floatText, reprOf, textOf } from './written.ts';
import { LONGEST_TEXT, spendOnText } from './work.ts';

// How Python fills values into texts: "%05.2f" % x, and "{:>8}".format(x).

const PERCENT = /%(?:\(([^)]*)\))?([-+ 0#]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g;
const BRACES = /\{\{|\}\}|\{([^{}:!]*)(?:!([rs]))?(?::([^{}]*))?\}/g;
const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([a-zA-Z%])?$/su;

/** The sign % after a text. */
export function formatted(pattern: string, values: unknown): string {
  const list = values instanceof Tuple ? [...values] : [values];
  let used = 0;
  const text = pattern.replace(
    PERCENT,
    (_, key: string | undefined, flags: string, width: string | undefined, digits: string | undefined, type: string) => {
      if (type === '%') return '%';
      if (key === undefined && used >= list.length) throw new TypeMismatch('a text has more % than values');
      const value = key === undefined ? list[used++] : isDict(values) ? (lookUp(values, key) ?? null) : null;
      const spec = {
        fill: flags.includes('0') ? '0' : ' ',
        align: flags.includes('-') ? '<' : '>',
        sign: /[+ ]/.exec(flags)?.[0] ?? '',
        width,
        digits,
        type,
      };
      return padded(body(value, spec), { ...spec, align: spec.fill === '0' && spec.align === '>' ? '=' : spec.align });
    },
  );
  if (used < list.length && !isDict(values)) throw new TypeMismatch('a text has fewer % than values');
  spendOnText(text.length);
  return text;
}

/** The method `format` of a text. */
export function formattedByBraces(pattern: string, args: readonly unknown[], named: ReadonlyMap<string, unknown>): string {
  let next = 0;
  const text = pattern.replace(BRACES, (whole, field: string | undefined, conversion: string | undefined, spec: string | undefined) => {
    if (whole === '{{') return '{';
    if (whole === '}}') return '}';
    const name = field ?? '';
    const value = name === '' ? args[next++] : /^\d+$/.test(name) ? args[Number(name)] : named.get(name);
    if (value === undefined)
      throw new TemplateError(`A template has no value for {${name}} of a text.`, 'Give it as an argument of format().');
    return byspec(conversion === 'r' ? reprOf(value) : value, spec ?? '');
  });
  spendOnText(text.length);
  return text;
}

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly width: string | undefined;
  readonly digits: string | undefined;
  readonly type: string;
}

function byspec(value: unknown, spec: string): string {
  if (spec === '') return textOf(value);
  const found = SPEC.exec(spec);
  if (!found) throw new TemplateError(`A template has the format "${spec.slice(0, 40)}", which is not known.`);
  const [, fill, align, sign, zero, width, comma, digits, type] = found;
  const isNumber = isNumeric(value) && type !== 's';
  const made = {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero && isNumber ? '=' : isNumber ? '>' : '<'),
    sign: sign ?? '',
    width,
    digits,
    type: type ?? (isNumber ? (isInt(value) || typeof value === 'boolean' ? 'd' : 'g~') : 's'),
  };
  const text = body(value, made);
  return padded(
    comma
      ? text
          .replace(/\d(?=(?:\d{3})+(?!\d))/, '$&,')
          .replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ',')
          .replaceAll(',,', ',')
      : text,
    made,
  );
}

function body(value: unknown, { sign, digits, type }: Spec): string {
  if (value instanceof Undefined && type !== 's' && type !== 'r') value.use();
  if (type === 's') return cut(textOf(value), digits);
  if (type === 'r') return cut(reprOf(value), digits);
  if (!isNumeric(value)) throw new TypeMismatch('a number is needed');
  const number = numberOf(value);
  const text = numberText(value instanceof Float || !isInt(value) ? number : value, type, digits);
  return number >= 0 && sign !== '-' && sign !== '' ? sign + text : text;
}

function numberText(value: number | bigint, type: string, digits: string | undefined): string {
  const places = Math.min(Number(digits ?? 6), 100);
  switch (type) {
    case 'd':
    case 'i':
    case 'u':
      return (typeof value === 'bigint' ? value : BigInt(Math.trunc(value))).toString();
    case 'x':
      return BigInt(Math.trunc(Number(value))).toString(16);
    case 'X':
      return BigInt(Math.trunc(Number(value)))
        .toString(16)
        .toUpperCase();
    case 'o':
      return BigInt(Math.trunc(Number(value))).toString(8);
    case 'b':
      return BigInt(Math.trunc(Number(value))).toString(2);
    case 'f':
    case 'F':
      return Number(value).toFixed(places);
    case 'e':
      return Number(value)
        .toExponential(places)
        .replace(/e([-+])(\d)$/, 'e$10$2');
    case '%':
      return `${(Number(value) * 100).toFixed(places)}%`;
    case 'g~':
      return digits === undefined ? floatText(Number(value)) : String(Number(Number(value).toPrecision(Math.max(1, places))));
    case 'g':
      return String(Number(Number(value).toPrecision(Math.max(1, places))));
    default:
      throw new TemplateError(`A template has the format type "${type}", which is not known.`);
  }
}

function cut(text: string, digits: string | undefined): string {
  return digits === undefined ? text : Array.from(text).slice(0, Number(digits)).join('');
}

function padded(text: string, { fill, align, width }: Spec): string {
  const size = Number(width ?? 0);
  spendOnText(Math.min(size, LONGEST_TEXT + 1));
  const missing = size - Array.from(text).length;
  if (missing <= 0) return text;
  if (align === '<') return text + fill.repeat(missing);
  if (align === '^') return fill.repeat(Math.floor(missing / 2)) + text + fill.repeat(Math.ceil(missing / 2));
  if (align === '=') return text.replace(/^[-+ ]?/, (sign) => sign + fill.repeat(missing));
  return fill.repeat(missing) + text;
}
