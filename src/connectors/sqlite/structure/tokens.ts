/** A piece of a statement. Comments and spaces are between them. */
export interface SqlToken {
  /** As it is written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** A word without quotes, in upper case; undefined for anything else. */
  readonly word: string | undefined;
  /** What it would be as a name, without quotes; undefined for texts, numbers and signs. */
  readonly name: string | undefined;
  /** How many brackets are open before it. */
  readonly depth: number;
}

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<text>[xX]?'(?:[^']|'')*')|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<sign>\d[\w.]*|[\s\S])/uy;

/** The pieces of a statement of SQLite, in their order. */
export function tokensOf(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  let depth = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(sql); found; found = TOKEN.exec(sql)) {
    const { quoted, text, word, sign } = found.groups ?? {};
    const piece = quoted ?? text ?? word ?? sign;
    if (piece === undefined) continue;
    if (sign === ')') depth--;
    const start = found.index;
    tokens.push({
      text: piece,
      start,
      end: start + piece.length,
      word: word?.toUpperCase(),
      name: quoted === undefined ? word : unquoted(quoted),
      depth,
    });
    if (sign === '(') depth++;
  }
  return tokens;
}

function unquoted(text: string): string {
  const [first] = text;
  const inner = text.slice(1, -1);
  return first === '[' ? inner : inner.replaceAll(`${first}${first}`, first ?? '');
}

/** Tokens apart from each other at commas that are this deep. */
export function splitAtCommas(tokens: readonly SqlToken[], depth: number): SqlToken[][] {
  const items: SqlToken[][] = [[]];
  for (const token of tokens)
    if (token.text === ',' && token.depth === depth) items.push([]);
    else items.at(-1)?.push(token);
  return items.filter((item) => item.length > 0);
}

/** The text from the first to the last of these. */
export function textOf(sql: string, tokens: readonly SqlToken[]): string {
  return sql.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
}
