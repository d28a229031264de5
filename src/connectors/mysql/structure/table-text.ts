/** SHOW CREATE TABLE, taken apart. Each part is as the server writes it. */
export interface MysqlTableText {
  readonly columns: readonly TextPart[];
  /** PRIMARY KEY, where there is one. */
  readonly primary: TextPart | undefined;
  /** All other keys, of every kind. */
  readonly keys: readonly TextPart[];
  readonly checks: readonly TextPart[];
  /** What stands behind the columns, without the next number and the comment. */
  readonly options: string;
}

export interface TextPart {
  readonly name: string;
  readonly text: string;
}

/** The same text with blanks in the place of quoted names and texts, so that signs can be looked for. */
function masked(text: string): string {
  return text.replaceAll(/`(?:[^`]|``)*`|'(?:[^'\\]|\\[\s\S]|'')*'/g, (quoted) => ' '.repeat(quoted.length));
}

export function parseCreation(text: string): MysqlTableText {
  const mask = masked(text);
  const open = mask.indexOf('(');
  const close = closing(mask, open);
  const items = split(text.slice(open + 1, close));
  const named = (beginning: RegExp): TextPart[] =>
    items.flatMap((item) => {
      const found = beginning.exec(item);
      return found ? [{ name: unquoted(found[1] ?? ''), text: item }] : [];
    });
  const NAME = '`((?:[^`]|``)*)`';
  return {
    columns: named(new RegExp(`^${NAME}`)),
    primary: named(/^PRIMARY KEY()/)[0],
    keys: named(new RegExp(`^(?:[A-Z]+ )?(?:KEY|INDEX) ${NAME}`)),
    checks: named(new RegExp(`^CONSTRAINT ${NAME} CHECK`)),
    options: optionsOf(text.slice(close + 1)),
  };
}

function optionsOf(text: string): string {
  return text
    .replace(/ COMMENT='(?:[^'\\]|\\[\s\S]|'')*'/, '')
    .replace(/ AUTO_INCREMENT=\d+/, '')
    .trim();
}

function closing(mask: string, open: number): number {
  let depth = 0;
  for (let at = open; at < mask.length; at++) {
    if (mask[at] === '(') depth++;
    else if (mask[at] === ')' && --depth === 0) return at;
  }
  return mask.length;
}

/** Apart at commas that are in no brackets. */
function split(text: string): string[] {
  const mask = masked(text);
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= mask.length; at++) {
    if (mask[at] === '(') depth++;
    else if (mask[at] === ')') depth--;
    else if (at === mask.length || (mask[at] === ',' && depth === 0)) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return items.filter((item) => item !== '');
}

function unquoted(name: string): string {
  return name.replaceAll('``', '`');
}

/** A key or check with columns by other names; or the column that it speaks of and that has none. */
export function withNames(text: string, names: ReadonlyMap<string, string | undefined>): { text: string } | { missing: string } {
  const from = masked(text).indexOf('(');
  let missing: string | undefined;
  const made = text.slice(from).replaceAll(/`((?:[^`]|``)*)`|'(?:[^'\\]|\\[\s\S]|'')*'/g, (quoted, inner: string | undefined) => {
    const name = inner === undefined ? undefined : unquoted(inner);
    if (name === undefined || !names.has(name.toLowerCase())) return quoted;
    const at = names.get(name.toLowerCase());
    if (at === undefined) missing ??= name;
    return `\`${(at ?? name).replaceAll('`', '``')}\``;
  });
  return missing === undefined ? { text: `${text.slice(0, from)}${made}` } : { missing };
}

/** What computes a column, as it stands in its definition. */
export function computingOf(column: string): string | undefined {
  const mask = masked(column);
  const found = / (?:GENERATED ALWAYS )?AS \(/.exec(mask);
  if (!found) return undefined;
  const end = closing(mask, mask.indexOf('(', found.index));
  const kind = /^ (?:STORED|VIRTUAL|PERSISTENT)/.exec(mask.slice(end + 1))?.[0] ?? '';
  return column.slice(found.index, end + 1 + kind.length);
}

/** The words of a column that stand in no quotes. */
export function says(column: string, words: RegExp): boolean {
  return words.test(masked(column));
}

export function without(column: string, words: RegExp): string {
  const found = words.exec(masked(column));
  return found ? column.slice(0, found.index) + column.slice(found.index + found[0].length) : column;
}
