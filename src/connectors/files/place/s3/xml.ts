// S3 answers in small XML documents without attributes that matter. These look for what is needed of them.

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The texts of all elements of a name, however deep. */
export function elements(xml: string, name: string): string[] {
  const found: string[] = [];
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at !== -1; ) {
    const end = xml.indexOf(close, at);
    if (end === -1) break;
    found.push(xml.slice(at + open.length, end));
    at = xml.indexOf(open, end);
  }
  return found;
}

/** The text of the first element of a name, without escapes. */
export function element(xml: string, name: string): string | undefined {
  const [text] = elements(xml, name);
  return text?.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, word?: string) => {
    if (word !== undefined) return SIGNS[word] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    // Half of a pair is no character.
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** Whether a document is there to its end. */
export function isWhole(xml: string, root: string): boolean {
  return new RegExp(`<${root}[\\s>]`).test(xml) && xml.trimEnd().endsWith(`</${root}>`);
}

export function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
