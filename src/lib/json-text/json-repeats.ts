// A member that is given twice means one thing to one reader and another to the next: JSON.parse takes the last, others the
// first. A proxy that checks a request before us must see what we see, so such a text is refused. The parsed value cannot tell.

const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MAX_DEPTH = 64;
/** Of a longer path the end is told. */
const MAX_PATH = 500;

/** The path of the first member that is given again, or undefined. `text` is JSON, and `value` what JSON.parse made of it. */
export function repeatedMember(text: string, value: unknown): string | undefined {
  // Each member has a colon behind its name. As many as there are members: none of them is lost, and nobody has to look closer.
  // Not so with escapes: V8 may take an escaped name for another one, of a text that it has read before, and count one too many.
  return !text.includes('\\') && mostMembers(text) === membersOf(value, 0) ? undefined : searchMembers(text);
}

/** How many members the text has at most: colons behind a quote. Text that begins with a colon or a quotation counts too. */
function mostMembers(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text.charCodeAt(before) === QUOTE) count++;
  }
  return count;
}

/** NaN, which is equal to nothing, where it is too deep to be counted. */
function membersOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === 'object') count += membersOf(item, depth + 1);
    return count;
  }
  if (JSON.isRawJSON(value)) return 0;
  // Three times as quick as a list of the names, and this is on the way of every order. What was parsed inherits no member.
  for (const name in value) {
    count++;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === 'object') count += membersOf(member, depth + 1);
  }
  return count;
}

/** An object or array that is open at the place where the search is. */
interface Open {
  /** The names so far; undefined in an array. */
  names: Set<string> | undefined;
  /** The member that is being read, or the index of the item. */
  at: string | number;
}

/** The search itself: one way through the text. It need not understand what JSON.parse has understood. */
function searchMembers(text: string): string | undefined {
  const open: Open[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const inner = open.at(-1);
    switch (text.charCodeAt(at)) {
      case OPEN_OBJECT:
        open.push({ names: new Set(), at: '' });
        isName = true;
        break;
      case OPEN_ARRAY:
        open.push({ names: undefined, at: 0 });
        isName = false;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = inner?.names !== undefined;
        if (typeof inner?.at === 'number') inner.at++;
        break;
      case COLON:
        isName = false;
        break;
      case QUOTE: {
        const end = endOfText(text, at);
        if (isName && inner?.names) {
          const written = text.slice(at, end + 1);
          const name = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
          inner.at = name;
          if (inner.names.has(name)) return pathOf(open);
          inner.names.add(name);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** Where the quote is that ends the text which begins here. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
}

function pathOf(open: readonly Open[]): string {
  let path = '';
  for (const { at } of open) path += typeof at === 'number' ? `[${at}]` : path === '' ? at : `.${at}`;
  return path.length > MAX_PATH ? `…${path.slice(-MAX_PATH)}` : path;
}
