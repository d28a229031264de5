// What a word without quotation marks means, by the rules of YAML 1.1 as Python's usual reader has them: manifests were
// written for it. `yes` and `on` are true, `017` is 15, `1e5` is a text.

const BOOLEANS = /^(?:(yes|Yes|YES|true|True|TRUE|on|On|ON)|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULLS = /^(?:~|null|Null|NULL|)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const MOMENT = /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::?(\d\d))?))?)?$/;
/** Most words begin with a letter that no number, date or special word has. */
const MAY_MEAN_MORE = /^(?:[-+.0-9~]|[yYnNtTfFoO])/;

export type YamlScalar = string | number | boolean | null;

/** The value of a word without quotation marks. */
export function plainValue(text: string): YamlScalar {
  if (text === '') return null;
  if (!MAY_MEAN_MORE.test(text) || text.length > 100) return text;
  const boolean = BOOLEANS.exec(text);
  if (boolean) return boolean[1] !== undefined;
  if (NULLS.test(text)) return null;
  if (INTEGER.test(text)) return integerOf(text);
  if (FLOAT.test(text)) return floatOf(text);
  return momentOf(text) ?? text;
}

/** The value of a text with a tag such as `!!int`; undefined when it does not fit. */
export function taggedValue(tag: string, text: string): YamlScalar | undefined {
  switch (tag) {
    case 'str':
      return text;
    case 'null':
      return null;
    case 'bool': {
      const boolean = BOOLEANS.exec(text);
      return boolean ? boolean[1] !== undefined : undefined;
    }
    case 'int':
      return INTEGER.test(text) ? integerOf(text) : undefined;
    case 'float':
      return FLOAT.test(text) || INTEGER.test(text) ? floatOf(text) : undefined;
    case 'timestamp':
      return momentOf(text);
    default:
      return undefined;
  }
}

function integerOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '');
  if (digits.startsWith('0b')) return sign * Number.parseInt(digits.slice(2), 2);
  if (digits.startsWith('0x')) return sign * Number.parseInt(digits.slice(2), 16);
  if (digits.includes(':')) return sign * bySixty(digits);
  if (digits.length > 1 && digits.startsWith('0')) return sign * Number.parseInt(digits, 8);
  return sign * Number(digits) || 0;
}

function floatOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replaceAll('_', '').replace(/^[-+]/, '').toLowerCase();
  if (digits === '.inf') return sign * Number.POSITIVE_INFINITY;
  if (digits === '.nan') return Number.NaN;
  return sign * (digits.includes(':') ? bySixty(digits) : Number(digits));
}

/** `1:30` is 90. */
function bySixty(digits: string): number {
  return digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** A date or a moment as the text that JSON would have of it. */
function momentOf(text: string): string | undefined {
  const found = MOMENT.exec(text);
  if (!found) return undefined;
  const [, year = '', month = '', day = '', hour, minute, second, fraction, zone, sign, hours, minutes] = found;
  const date = `${year}-${two(month)}-${two(day)}`;
  // A date alone has two digits for month and day, else it is a text.
  if (hour === undefined) return month.length === 2 && day.length === 2 ? date : undefined;
  const micros = (fraction ?? '').slice(0, 6).padEnd(6, '0');
  const time = `${two(hour)}:${minute}:${second}${Number(micros) === 0 ? '' : `.${micros}`}`;
  const offset = zone === undefined ? '' : zone === 'Z' ? '+00:00' : `${sign}${two(hours ?? '')}:${minutes ?? '00'}`;
  return `${date}T${time}${offset}`;
}

function two(digits: string): string {
  return digits.padStart(2, '0');
}
