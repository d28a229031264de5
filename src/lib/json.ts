import { isUtf8 } from 'node:buffer';
import { parseExactly } from './exact-json.ts';
import { AppError, type FieldError, invalidParam } from './errors.ts';
import { jsonFault } from './json-text/json-fault.ts';
import { repeatedMember } from './json-text/json-repeats.ts';

// A JSON body is read strictly: what we cannot keep exactly, we refuse or keep as it was written, and never change in
// silence. The checks cost a scan of the text; only a body that shows something suspicious pays for a walk.
const SUSPICIOUS_TEXT = /\\u|__proto__/;
const MAX_DEPTH = 64;

/** What is read: all of a body, or one of its lines. */
type JsonWhole = 'body' | 'line';

/** Parses a JSON document; throws MALFORMED_JSON, naming a member that is given twice, or INVALID_PARAMS naming the field that cannot be kept. */
export function parseJson(bytes: Buffer, whole: JsonWhole = 'body'): unknown {
  if (!isUtf8(bytes)) throw malformed({ reason: 'it is not valid UTF-8' }, whole);
  const text = bytes.toString();
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch (error) {
    throw malformed(faultOf(text, error, whole), whole);
  }
  const repeated = repeatedMember(text, value);
  if (repeated !== undefined) throw givenTwice(printable(repeated), whole);
  if (SUSPICIOUS_TEXT.test(text)) demandKeepable(value);
  return value;
}

/** Why this text cannot be stored, or undefined. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  if (!text.isWellFormed()) return 'must not contain half of a surrogate pair';
  return undefined;
}

/** Throws for the first NUL, lone surrogate or poisonous name in a parsed value, naming the place. */
export function demandKeepable(value: unknown, path = '', depth = 0): void {
  const fault = typeof value === 'string' ? textFault(value) : undefined;
  if (fault) throw invalidParam(path, fault);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => demandKeepable(item, `${path}[${index}]`, depth + 1));
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const nameFault = name === '__proto__' ? 'is not a name that can be used' : textFault(name);
    const inner = path === '' ? name : `${path}.${name}`;
    if (nameFault) throw invalidParam(printable(inner), nameFault);
    demandKeepable(member, inner, depth + 1);
  }
}

/** A path of members whose names nobody has checked yet. */
function printable(path: string): string {
  return path.replaceAll('\0', '\\u0000').toWellFormed();
}

/** The nesting depth of a value, counted no further than `limit + 1`. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return 0;
  if (limit <= 0) return 1;
  let deepest = 0;
  for (const member of Object.values(value)) deepest = Math.max(deepest, depthOf(member, limit - 1));
  return deepest + 1;
}

interface ToldFault {
  reason: string;
  line?: number;
  position?: number;
}

/** What is wrong with a text that could not be parsed, and where. */
function faultOf(text: string, error: unknown, whole: JsonWhole): ToldFault {
  const fault = jsonFault(text);
  if (!fault) return { reason: error instanceof Error ? error.message : 'it cannot be parsed' };
  let [line, position] = [1, 1];
  for (let at = 0; at < fault.at; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) [line, position] = [line + 1, 1];
    // The second half of a character is no character.
    else if (code < 0xdc_00 || code > 0xdf_ff) position++;
  }
  if (whole === 'line') return { reason: `${fault.what} (character ${position})`, position };
  return { reason: `${fault.what} (line ${line}, character ${position})`, line, position };
}

function malformed({ reason, ...place }: ToldFault, whole: JsonWhole): AppError {
  const errors: FieldError[] = [{ field: '', reason }];
  return new AppError('MALFORMED_JSON', `The ${whole} is not valid JSON: ${reason}.`, { field: '', reason, errors, ...place });
}

function givenTwice(field: string, whole: JsonWhole): AppError {
  const reason = 'is given more than once';
  const message = `The ${whole} gives ${field || 'a member without a name'} more than once. Give each member once.`;
  return new AppError('MALFORMED_JSON', message, { field, reason, errors: [{ field, reason }] });
}
