import { OutsideError } from '../../../outside/errors.ts';

const TAB = 9;
const NEWLINE = 10;
const SPACE = 32;
const HASH = 35;

/** A place in the text that can be returned to. */
export interface YamlPlace {
  readonly at: number;
  readonly line: number;
  readonly lineStart: number;
}

/** Where the reader of a YAML text stands. Line breaks are `\n` only. */
export class YamlCursor {
  readonly text: string;
  at = 0;
  line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.at - this.#lineStart;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  get place(): YamlPlace {
    return { at: this.at, line: this.line, lineStart: this.#lineStart };
  }

  goTo({ at, line, lineStart }: YamlPlace): void {
    this.at = at;
    this.line = line;
    this.#lineStart = lineStart;
  }

  peek(ahead = 0): string {
    return this.text[this.at + ahead] ?? '';
  }

  /** Past a line break, which stands here. */
  newLine(): void {
    this.at++;
    this.line++;
    this.#lineStart = this.at;
  }

  /** Whether a space, a line break or the end stands so far ahead. */
  isBlank(ahead = 0): boolean {
    const code = this.text.charCodeAt(this.at + ahead);
    return Number.isNaN(code) || code === SPACE || code === NEWLINE || code === TAB;
  }

  /** Past spaces on this line. */
  skipSpaces(): void {
    for (let code = this.text.charCodeAt(this.at); code === SPACE || code === TAB; code = this.text.charCodeAt(this.at)) this.at++;
  }

  /** Past spaces, comments and line breaks; whether a line ended. */
  skip(): boolean {
    let ended = false;
    for (;;) {
      this.skipSpaces();
      if (this.text.charCodeAt(this.at) === HASH) this.skipLine();
      if (this.text.charCodeAt(this.at) !== NEWLINE) return ended;
      this.newLine();
      ended = true;
    }
  }

  /** To the end of this line. */
  skipLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  /** Whether nothing but spaces stands before this place on its line. */
  isFirst(): boolean {
    for (let at = this.at - 1; at >= this.#lineStart; at--) if (this.text.charCodeAt(at) !== SPACE) return false;
    return true;
  }

  /** Whether the spaces before this place, which begin its line, have a tab among them. */
  isTabbed(): boolean {
    return /^[ \t]*\t[ \t]*$/.test(this.text.slice(this.#lineStart, this.at));
  }

  /** Whether `---` or `...` begins this line. */
  isMarker(): boolean {
    if (this.column !== 0) return false;
    return (this.text.startsWith('---', this.at) || this.text.startsWith('...', this.at)) && this.isBlank(3);
  }

  fail(reason: string, hint = 'Correct this place of the manifest; what stands above the line may be the reason as well.'): never {
    throw new OutsideError(
      'config',
      'MANIFEST_UNREADABLE',
      `The manifest is no YAML at line ${this.line}, column ${this.column + 1}: ${reason}.`,
      {
        field: 'manifest',
        hint,
      },
    );
  }
}
