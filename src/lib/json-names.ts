// V8 (14.6, that of Node 26) takes a name with an escape in it for another one: where an object that it has read before had a name of the same
// length at this place, it compares that with the text as it is written. After {"a":1,"b\\":2} it reads {"a":1,"b\n":2} as the former, so the
// sender of the first could spoil what others send. What is written there has a backslash within that length, and so has the name that it is
// taken for: only texts that seem to have such a name are read once more, by us.

const TOKENS = /([{[])|([}\]])|("[^"\\]*(?:\\.[^"\\]*)*")|([^\s,:{}[\]"]+)/g;

/** `JSON.parse` with the names as they are in the text, and its numbers as `numberOf` makes them of what is written there. */
export function parseNamed(text: string, numberOf?: (source: string) => unknown): unknown {
  const mayBeWrong = text.includes('\\');
  const value: unknown = mayBeWrong || !numberOf ? JSON.parse(text) : undefined;
  if (mayBeWrong && hasDoubtfulName(value)) return readAgain(text, numberOf ?? Number);
  return numberOf ? JSON.parse(text, (_, member: unknown, { source }) => (typeof member === 'number' ? numberOf(source) : member)) : value;
}

/** Without recursion, as is JSON.parse: a value may be nested as deep as it likes. */
function hasDoubtfulName(value: unknown): boolean {
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null || JSON.isRawJSON(next)) continue;
    const isNamed = !Array.isArray(next);
    for (const [name, member] of Object.entries(next)) {
      if (isNamed && name.includes('\\')) return true;
      if (typeof member === 'object') open.push(member);
    }
  }
  return false;
}

/** An object or a list that is not yet at its end. */
type Open = { object: object; name: string | undefined } | { list: unknown[] };

/** What JSON.parse has read is JSON, so nothing has to be checked. */
function readAgain(text: string, numberOf: (source: string) => unknown): unknown {
  const open: Open[] = [];
  let result: unknown;
  for (const [token, begin, end, quoted] of text.matchAll(TOKENS)) {
    const inner = open.at(-1);
    if (end !== undefined) {
      open.pop();
    } else if (inner && 'object' in inner && inner.name === undefined) {
      inner.name = JSON.parse(token) as string;
    } else {
      const value =
        begin === '{' ? {} : begin === '[' ? [] : quoted !== undefined ? (JSON.parse(quoted) as string) : plain(token, numberOf);
      if (!inner) result = value;
      else if ('list' in inner) inner.list.push(value);
      else put(inner, value);
      if (begin !== undefined) open.push(Array.isArray(value) ? { list: value } : { object: value as object, name: undefined });
    }
  }
  return result;
}

function plain(token: string, numberOf: (source: string) => unknown): unknown {
  return token === 'null' ? null : token === 'true' ? true : token === 'false' ? false : numberOf(token);
}

/** As JSON.parse does, also for `__proto__`. */
function put(inner: { object: object; name: string | undefined }, value: unknown): void {
  Object.defineProperty(inner.object, inner.name as string, { value, writable: true, enumerable: true, configurable: true });
  inner.name = undefined;
}
