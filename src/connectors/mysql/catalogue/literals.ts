import type { CanonicalType, Value } from '../../canonical.ts';
import { isCanonical } from '../../canonical.ts';
import { OutsideError } from '../../../outside/errors.ts';

/** A name, quoted. */
export function quote(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** Text as a literal without anything to escape. It takes the collation of what it is compared with. */
export function textLiteral(text: string): string {
  return text === '' ? "''" : `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}

/** A canonical value as a literal to compare a column with. */
export function literal(type: CanonicalType, value: Value, what: string): string {
  if (value === null) return 'null';
  if (type !== 'text' && type !== 'json' && !isCanonical(type, value))
    throw new OutsideError('config', 'VALUE_INVALID', `The value for ${what} is not a ${type}.`, { field: 'filters' });
  switch (type) {
    case 'int64':
      return value;
    case 'decimal':
    case 'float64':
      if (/[a-z]/i.test(value.replace(/e/i, '')))
        throw new OutsideError('config', 'VALUE_INVALID', `MySQL has no ${value} to compare ${what} with.`, { field: 'filters' });
      return type === 'float64' && !/e/i.test(value) ? `${value}e0` : value;
    case 'boolean':
      return value === 't' ? '1' : '0';
    case 'binary':
      return `x'${value.slice(2)}'`;
    case 'timestamptz':
      return textLiteral(value.replace('+00', ''));
    default:
      return textLiteral(value);
  }
}
