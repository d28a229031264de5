// XML as JSON, as Python's xmltodict does it: attributes are members with an @, repeated elements are lists, text alone is a string.

type Element = Record<string, unknown>;

interface Open {
  name: string;
  members: Element;
  text: string;
}

const MAX_DEPTH = 200;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const ATTRIBUTE = /([^\s=/>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The value of an XML text; undefined when it is none. Entities of its own are not known: they could be endless. */
export function xmlValue(text: string): unknown {
  const root: Open = { name: '', members: {}, text: '' };
  const open: Open[] = [root];
  let at = 0;
  while (at < text.length) {
    const top = open.at(-1) as Open;
    if (text[at] !== '<') {
      const next = text.indexOf('<', at);
      const end = next === -1 ? text.length : next;
      top.text += unescaped(text.slice(at, end));
      at = end;
      continue;
    }
    const skipped = endOfOther(text, at);
    if (skipped !== undefined) {
      if (text.startsWith('<![CDATA[', at)) top.text += text.slice(at + 9, skipped - 3);
      if (skipped === -1) return undefined;
      at = skipped;
      continue;
    }
    const end = endOfTag(text, at);
    if (end === -1) return undefined;
    const tag = text.slice(at + 1, end);
    at = end + 1;
    if (tag.startsWith('/')) {
      if (open.length < 2 || top.name !== tag.slice(1).trim()) return undefined;
      open.pop();
      add(open.at(-1) as Open, top.name, valueOf(top));
      continue;
    }
    const isEmpty = tag.endsWith('/');
    const opened = begin(isEmpty ? tag.slice(0, -1) : tag);
    if (opened.name === '' || open.length > MAX_DEPTH) return undefined;
    if (isEmpty) add(top, opened.name, valueOf(opened));
    else open.push(opened);
  }
  return open.length === 1 && Object.keys(root.members).length > 0 && root.text.trim() === '' ? root.members : undefined;
}

/** Behind a comment, a declaration, an instruction or plain data; undefined when it is an element, -1 when it never ends. */
function endOfOther(text: string, at: number): number | undefined {
  const kinds: readonly [string, string][] = [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
    ['<!', '>'],
  ];
  const kind = kinds.find(([begin]) => text.startsWith(begin, at));
  if (!kind) return undefined;
  const end = text.indexOf(kind[1], at + kind[0].length);
  return end === -1 ? -1 : end + kind[1].length;
}

/** A `>` within quotes ends nothing. */
function endOfTag(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const letter = text[at] as string;
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '>') return at;
  }
  return -1;
}

function begin(tag: string): Open {
  const name = /^[^\s/>]+/.exec(tag)?.[0] ?? '';
  const members: Element = {};
  for (const [, attribute = '', double, single] of tag.slice(name.length).matchAll(ATTRIBUTE))
    members[`@${attribute}`] = unescaped(double ?? single ?? '');
  return { name, members, text: '' };
}

function valueOf({ members, text }: Open): unknown {
  const trimmed = text.trim();
  if (Object.keys(members).length === 0) return trimmed === '' ? null : trimmed;
  if (trimmed !== '') members['#text'] = trimmed;
  return members;
}

function add({ members }: Open, name: string, value: unknown): void {
  if (!Object.hasOwn(members, name)) {
    Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const known = members[name];
  if (Array.isArray(known)) known.push(value);
  else members[name] = [known, value];
}

function unescaped(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (written, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? written;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}
