// Renders the templates of our chart where Helm is not on the machine. It knows the part of Go's template language that they use, and throws at
// anything else: `if`, `else if`, `else`, `with`, `define`, `include`, variables, pipelines, and the functions below.
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

type Value = unknown;
type Scope = { dot: Value; variables: Map<string, Value> };
type Action = { kind: 'action'; words: string };
type Block = { kind: 'if' | 'with'; branches: { words: string | undefined; body: Part[] }[] };
type Part = string | Action | Block;
type Call = (...args: Value[]) => Value;

const isTrue = (value: Value): boolean => {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
};
const textOf = (value: Value): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return '';
  throw new Error('A list or a map is no text: use toYaml or toJson');
};

/** JSON as Go writes it: members in the order of their names, and no letters that HTML gives a meaning. */
function goJson(value: Value): string {
  const sorted = (_: string, one: Value): Value =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return JSON.stringify(value, sorted).replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

const FUNCTIONS: Record<string, Call> = {
  and: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1),
  or: (...args) => args.find(isTrue) ?? args.at(-1),
  not: (arg) => !isTrue(arg),
  eq: (one, other) => one === other,
  default: (fallback, given) => (isTrue(given) ? given : fallback),
  dict: (...args) => Object.fromEntries(Array.from({ length: args.length / 2 }, (_, at) => [textOf(args[2 * at]), args[2 * at + 1]])),
  quote: (arg) => JSON.stringify(textOf(arg)),
  toYaml: (arg) => stringify(arg, { sortMapEntries: true, lineWidth: 0 }).trimEnd(),
  toJson: goJson,
  sha256sum: (arg) => createHash('sha256').update(textOf(arg)).digest('hex'),
  nindent: (spaces, text) => `\n${textOf(text).replace(/^/gm, ' '.repeat(Number(spaces)))}`,
  required: (message, given) => {
    if (given === undefined || given === '') throw new Error(textOf(message));
    return given;
  },
};

/** All templates of a chart; `render` answers what one of them makes of these values. */
export class ChartTemplates {
  readonly #defined = new Map<string, Part[]>();
  readonly #files = new Map<string, Part[]>();

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) this.#files.set(name, this.#parse(text));
  }

  render(name: string, root: Value): string {
    const parts = this.#files.get(name);
    if (!parts) throw new Error(`There is no template ${name}`);
    return this.#write(parts, { dot: root, variables: new Map([['$', root]]) });
  }

  #parse(text: string): Part[] {
    const tokens = text
      .replace(/\s*\{\{- /g, '{{ ')
      .replace(/ -\}\}\s*/g, ' }}')
      .split(/(\{\{.*?\}\})/s)
      .filter((token) => token !== '');
    const top: Part[] = [];
    const open: { words: string; body: Part[]; block?: Block }[] = [{ words: '', body: top }];
    for (const token of tokens) {
      const here = open.at(-1) ?? { words: '', body: top };
      if (!token.startsWith('{{')) here.body.push(token);
      else this.#take(token.slice(2, -2).trim(), here, open);
    }
    if (open.length !== 1) throw new Error(`"${open.at(-1)?.words}" has no end`);
    return top;
  }

  #take(words: string, here: { words: string; body: Part[]; block?: Block }, open: { words: string; body: Part[]; block?: Block }[]): void {
    const [word = '', ...rest] = words.split(' ');
    const condition = rest.join(' ');
    if (word.startsWith('/*')) return;
    if (word === 'define') open.push({ words: condition, body: [] });
    else if (word === 'if' || word === 'with') {
      const body: Part[] = [];
      const block: Block = { kind: word, branches: [{ words: condition, body }] };
      here.body.push(block);
      open.push({ words, body, block });
    } else if (word === 'else') {
      here.body = [];
      here.block?.branches.push({ words: condition === '' ? undefined : condition.replace(/^if /, ''), body: here.body });
    } else if (word === 'end') {
      if (!here.block) this.#defined.set(JSON.parse(here.words) as string, here.body);
      open.pop();
    } else here.body.push({ kind: 'action', words });
  }

  #write(parts: readonly Part[], scope: Scope): string {
    return parts.map((part) => this.#writePart(part, scope)).join('');
  }

  #writePart(part: Part, scope: Scope): string {
    if (typeof part === 'string') return part;
    if (part.kind === 'action') {
      const [, name, words] = /^(\$\w+) := (.*)$/.exec(part.words) ?? [];
      if (name === undefined || words === undefined) return textOf(this.#valueOf(part.words, scope));
      scope.variables.set(name, this.#valueOf(words, scope));
      return '';
    }
    for (const { words, body } of part.branches) {
      const value = words === undefined ? undefined : this.#valueOf(words, scope);
      if (words !== undefined && !isTrue(value)) continue;
      const dot = part.kind === 'with' && words !== undefined ? value : scope.dot;
      return this.#write(body, { dot, variables: new Map(scope.variables) });
    }
    return '';
  }

  /** A pipeline: what comes out of one command is the last argument of the next. */
  #valueOf(words: string, scope: Scope): Value {
    const tokens = words.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
    const value = this.#pipeline(tokens, scope);
    if (tokens.length > 0) throw new Error(`Not understood: ${words}`);
    return value;
  }

  #pipeline(tokens: string[], scope: Scope): Value {
    let value = this.#command(tokens, scope, []);
    while (tokens[0] === '|') {
      tokens.shift();
      value = this.#command(tokens, scope, [value]);
    }
    return value;
  }

  #command(tokens: string[], scope: Scope, piped: Value[]): Value {
    const name = tokens[0] ?? '';
    const isCall = name === 'include' || Object.hasOwn(FUNCTIONS, name);
    if (!isCall) return this.#term(tokens, scope);
    tokens.shift();
    const args: Value[] = [];
    while (tokens.length > 0 && tokens[0] !== ')' && tokens[0] !== '|') args.push(this.#term(tokens, scope));
    args.push(...piped);
    if (name !== 'include') return FUNCTIONS[name]?.(...args);
    const body = this.#defined.get(textOf(args[0]));
    if (!body) throw new Error(`There is no definition of ${textOf(args[0])}`);
    return this.#write(body, { dot: args[1], variables: new Map([['$', args[1]]]) });
  }

  #term(tokens: string[], scope: Scope): Value {
    const token = tokens.shift() ?? '';
    if (token === '(') {
      const value = this.#pipeline(tokens, scope);
      if (tokens.shift() !== ')') throw new Error('A bracket is not closed');
      return value;
    }
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (/^\d+$/.test(token)) return Number(token);
    const [start = '', ...members] = token.split('.');
    if (start !== '' && !scope.variables.has(start)) throw new Error(`Not understood: ${token}`);
    const from = start === '' ? scope.dot : scope.variables.get(start);
    return members.filter(Boolean).reduce((value: Value, member) => (value as Record<string, Value> | undefined)?.[member], from);
  }
}
