import { parseExactly } from '../../../lib/exact-json.ts';
import type { CanonicalType, Row, Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { toJsonText } from '../../json-values.ts';
import { parsePath, put } from '../answer/paths.ts';

/** A member of the JSON that is sent: a value, or an object of more members. */
interface Member {
  head: string;
  /** Which value of the row. */
  index?: number;
  type?: CanonicalType;
  members?: Member[];
}

export interface BodyOptions {
  fields: readonly Field[];
  /** Where a field lies in the record; its own name where it is not told. */
  places: ReadonlyMap<string, readonly string[]>;
  /** Fields that are not sent. */
  without: ReadonlySet<string>;
  omitsNulls: boolean;
}

/** Makes the JSON of a record; what has to be known for it is worked out once. */
export function recordWriter({ fields, places, without, omitsNulls }: BodyOptions): (row: Row) => string {
  const members: Member[] = [];
  fields.forEach((field, index) => {
    if (!without.has(field.name)) place(members, places.get(field.name) ?? [field.name], index, field.type);
  });
  const write = (inner: readonly Member[], row: Row): string => {
    let text = '';
    for (const member of inner) {
      const value = member.members ? write(member.members, row) : valueText(member.type ?? 'text', row[member.index ?? 0] ?? null);
      if (omitsNulls && (value === 'null' || (member.members && value === '{}'))) continue;
      text += (text === '' ? '' : ',') + member.head + value;
    }
    return `{${text}}`;
  };
  return (row) => write(members, row);
}

function place(members: Member[], [step = '', ...rest]: readonly string[], index: number, type: CanonicalType): void {
  const head = `${JSON.stringify(step)}:`;
  if (rest.length === 0) {
    members.push({ head, index, type });
    return;
  }
  let inner = members.find((member) => member.head === head && member.members);
  if (!inner) members.push((inner = { head, members: [] }));
  place(inner.members ?? [], rest, index, type);
}

/** JSON has no bytes; Base64 is what APIs take for them. */
function valueText(type: CanonicalType, value: Value): string {
  if (type === 'binary' && value !== null) return JSON.stringify(Buffer.from(value.slice(2), 'hex').toString('base64'));
  return toJsonText(type, value);
}

/** Stands for the record while the body around it is made; no JSON that a person writes holds it. */
const RECORD = '\u0000record\u0000';

/** What makes a body of a text: as the member that `wrapper` names, of what goes along with every request. */
export function bodyAround(wrapper: string | undefined, along: string | undefined): (text: string) => string {
  const path = parsePath(wrapper ?? '');
  if (path.length === 0) return (text) => text;
  const body = parseExactly(along ?? '{}') as Record<string, unknown>;
  put(body, path, RECORD);
  const [head = '', tail = ''] = JSON.stringify(body).split(JSON.stringify(RECORD));
  return (text) => head + text + tail;
}

/** The JSON object with one more member. */
export function withMember(json: string, name: string, value: string): string {
  return `${json.slice(0, -1)}${json.length > 2 ? ',' : ''}${JSON.stringify(name)}:${JSON.stringify(value)}}`;
}
