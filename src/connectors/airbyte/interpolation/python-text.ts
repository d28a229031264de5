// Texts as Python's source has them.

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g;
const LETTERS: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Replaces what begins with a backslash; undefined when Python would refuse it. */
export function pythonEscapes(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  let isRefused = false;
  const replaced = text.replace(ESCAPE, (whole, octal?: string, two?: string, four?: string, eight?: string, letter?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    const digits = two ?? four ?? eight;
    if (digits !== undefined) {
      const code = Number.parseInt(digits, 16);
      if (code > 0x10ffff) isRefused = true;
      return isRefused ? '' : codeText(code);
    }
    if (letter === 'x' || letter === 'u' || letter === 'U' || letter === 'N') isRefused = true;
    return LETTERS[letter as string] ?? whole;
  });
  return isRefused ? undefined : replaced;
}

function codeText(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}
