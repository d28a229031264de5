import { printable } from '../../../lib/check.ts';
import { isJsonObject } from '../../../lib/exact-json.ts';

const SHORTEST = 4;

/**
 * The secrets of a session. They are blotted out of everything that is shown; in a position, which is kept with the data, their names stand
 * for them.
 */
export class Vault {
  readonly #secrets = new Map<string, string>();

  /** A secret by its name; the last one of a name counts. */
  keep(name: string, secret: unknown): void {
    if (typeof secret === 'string' && secret.length >= SHORTEST) this.#secrets.set(name, secret);
  }

  /** A text with every secret in it blotted out, fit to be shown. */
  shown(text: string): string {
    let clean = text;
    for (const secret of this.#secrets.values()) for (const spelling of spellings(secret)) clean = clean.replaceAll(spelling, '***');
    return printable(clean);
  }

  /** A value as it may be kept. */
  hide(value: unknown): unknown {
    return mapTexts(value, (text) => {
      let clean = text;
      for (const [name, secret] of this.#secrets)
        for (const [index, spelling] of spellings(secret).entries()) clean = clean.replaceAll(spelling, marker(name, index));
      return clean;
    });
  }

  /** The value that was hidden. */
  reveal(value: unknown): unknown {
    return mapTexts(value, (text) => {
      if (!text.includes(OPEN)) return text;
      let whole = text;
      for (const [name, secret] of this.#secrets)
        for (const [index, spelling] of spellings(secret).entries()) whole = whole.replaceAll(marker(name, index), spelling);
      return whole;
    });
  }
}

const OPEN = '\u27e6secret ';

function marker(name: string, index: number): string {
  return `${OPEN}${name} ${index}\u27e7`;
}

/** As it is, in an address, and in a header of HTTP's basic authentication. */
function spellings(secret: string): string[] {
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(secret).replaceAll('%20', '+'),
      JSON.stringify(secret).slice(1, -1),
    ]),
  ];
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}
