import { OutsideError } from '../../../outside/errors.ts';
import { YamlCursor } from './yaml-cursor.ts';
import { YamlNodes, type YamlProperties } from './yaml-nodes.ts';
import { blockText, plainText, quotedText } from './yaml-texts.ts';

/** A key or a value that stands on its line. */
interface Inline {
  readonly value: unknown;
  /** A word without quotation marks, as it is written. */
  readonly plain: string | undefined;
}

/** The same within brackets, with what stands before it. */
type Inner = Inline & { readonly properties: YamlProperties };

/** Larger texts are refused. The largest real manifests have a third of this. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const DEEPEST = 100;

/** Reads one document of YAML (or JSON, which is YAML as well), as Python's reader does. */
export function parseYaml(text: string): unknown {
  if (text.length > MOST_CHARACTERS)
    throw new OutsideError(
      'config',
      'MANIFEST_TOO_LARGE',
      `The manifest has ${text.length} characters, more than the ${MOST_CHARACTERS} that are read.`,
      {
        field: 'manifest',
        hint: 'Leave out streams and schemas that are not needed.',
      },
    );
  return new YamlParser(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')).document();
}

class YamlParser {
  readonly #cursor: YamlCursor;
  readonly nodes: YamlNodes;
  #depth = 0;

  constructor(text: string) {
    this.#cursor = new YamlCursor(text);
    this.nodes = new YamlNodes(this.#cursor);
  }

  document(): unknown {
    const cursor = this.#cursor;
    cursor.skip();
    while (cursor.column === 0 && cursor.peek() === '%') {
      cursor.skipLine();
      cursor.skip();
    }
    if (cursor.isMarker() && cursor.peek() === '-') cursor.at += 3;
    const value = this.#block(-1, true, false);
    cursor.skip();
    while (cursor.isMarker() && cursor.peek() === '.') {
      cursor.at += 3;
      cursor.skip();
    }
    if (cursor.isMarker()) cursor.fail('a second document begins here', 'A manifest is one document: leave out the line with ---.');
    if (!cursor.atEnd) cursor.fail('nothing more was expected here', 'Check the indentation of this line.');
    return value;
  }

  /**
   * What stands here, in a collection whose column is `indent`. A collection of its own may begin on this line where
   * `mayBegin`, else on one of the next; `isValue` when a list may stand in the column of the map around it.
   */
  #block(indent: number, mayBegin: boolean, isValue: boolean): unknown {
    this.#deeper();
    const cursor = this.#cursor;
    let before: YamlProperties = {};
    let begins = mayBegin;
    for (;;) {
      if (cursor.skip()) begins = true;
      const isDash = cursor.peek() === '-' && cursor.isBlank(1);
      const isTooFar = cursor.column <= indent && !(isValue && isDash && cursor.column === indent);
      if (cursor.atEnd || cursor.isMarker() || isTooFar) {
        this.#depth--;
        return this.nodes.finish(before, '', '');
      }
      if (begins && cursor.isTabbed()) cursor.fail('a tab stands where spaces are needed', 'Indent with spaces.');
      const { column } = cursor;
      const { line } = cursor;
      const own = this.nodes.properties();
      cursor.skipSpaces();
      if (own.isGiven && (cursor.atEnd || cursor.peek() === '\n' || cursor.peek() === '#')) {
        // They stand alone on their line, so they are of the whole that follows.
        before = this.nodes.merge(before, own);
        continue;
      }
      const value = this.#blockAfter({ indent, begins, column, line, before, own });
      this.#depth--;
      return value;
    }
  }

  #blockAfter(here: {
    indent: number;
    begins: boolean;
    column: number;
    line: number;
    before: YamlProperties;
    own: YamlProperties;
  }): unknown {
    const { indent, begins, column, line, before, own } = here;
    const cursor = this.#cursor;
    const sign = cursor.peek();
    if (sign === '|' || sign === '>') return this.nodes.finish(this.nodes.merge(before, own), blockText(cursor, indent), undefined);
    if (sign === '-' && cursor.isBlank(1)) {
      if (!begins || own.isGiven) cursor.fail('a list cannot begin on this line', 'Begin it on a line of its own.');
      return this.nodes.finish(before, this.#sequence(column), undefined);
    }
    const isComplex = sign === '?' && cursor.isBlank(1) && begins;
    if (isComplex) return this.nodes.finish(before, this.#mapping(column, undefined), undefined);
    const inline = this.#inline(indent, false);
    if (cursor.line === line && this.#isColon()) {
      if (!begins) cursor.fail('a second ":" on one line', 'Put a text that has ": " in it in quotation marks.');
      const key = this.nodes.finishKey(own, inline.value, inline.plain);
      return this.nodes.finish(before, this.#mapping(column, key), undefined);
    }
    return this.nodes.finish(this.nodes.merge(before, own), inline.value, inline.plain);
  }

  /** Goes past spaces before a colon that ends a key. */
  #isColon(): boolean {
    const { place } = this.#cursor;
    this.#cursor.skipSpaces();
    if (this.#cursor.peek() === ':' && this.#cursor.isBlank(1)) return true;
    this.#cursor.goTo(place);
    return false;
  }

  #sequence(column: number): unknown[] {
    const cursor = this.#cursor;
    const items: unknown[] = [];
    for (;;) {
      cursor.at++;
      items.push(this.#block(column, true, false));
      cursor.skip();
      if (cursor.atEnd || cursor.isMarker() || cursor.column < column) return items;
      if (!cursor.isFirst()) cursor.fail('nothing more was expected on this line');
      if (cursor.column > column) cursor.fail('this line is indented further than the entries of its list');
      if (cursor.peek() !== '-' || !cursor.isBlank(1)) return items;
    }
  }

  #mapping(column: number, first: string | undefined): Record<string, unknown> {
    const cursor = this.#cursor;
    const map: Record<string, unknown> = {};
    let key = first;
    for (;;) {
      if (key === undefined) key = this.#complexKey(column);
      if (this.#isColon()) {
        cursor.at++;
        this.nodes.set(map, key, this.#block(column, false, true));
      } else this.nodes.set(map, key, null);
      cursor.skip();
      if (cursor.atEnd || cursor.isMarker() || cursor.column < column) return this.nodes.endMap(map);
      if (!cursor.isFirst()) cursor.fail('nothing more was expected on this line');
      if (cursor.column > column) cursor.fail('this line is indented further than the members of its map');
      key = this.#key(column);
    }
  }

  #key(column: number): string | undefined {
    const cursor = this.#cursor;
    if (cursor.peek() === '?' && cursor.isBlank(1)) return undefined;
    if (cursor.peek() === '-' && cursor.isBlank(1))
      cursor.fail('an entry of a list stands among the members of a map', 'Indent it further.');
    const { line } = cursor;
    const own = this.nodes.properties();
    cursor.skipSpaces();
    const inline = this.#inline(column, false);
    if (cursor.line !== line || !this.#isColon()) cursor.fail('a ":" after the name of a member is missing');
    return this.nodes.finishKey(own, inline.value, inline.plain);
  }

  /** A key after `?`; its colon stands on a line of its own. */
  #complexKey(column: number): string {
    const cursor = this.#cursor;
    cursor.at++;
    const key = this.nodes.keyOf(this.#block(column, true, false));
    const { place } = cursor;
    cursor.skip();
    if (cursor.column !== column || cursor.peek() !== ':') cursor.goTo(place);
    return key;
  }

  /** An alias, a text, or what stands in brackets. */
  #inline(indent: number, isInside: boolean): Inline {
    const cursor = this.#cursor;
    const sign = cursor.peek();
    if (sign === '*') return { value: this.nodes.alias(), plain: undefined };
    if (sign === '"' || sign === "'") return { value: quotedText(cursor), plain: undefined };
    if (sign === '[') return { value: this.#list(), plain: undefined };
    if (sign === '{') return { value: this.#braces(), plain: undefined };
    const isSign = /[-?:]/.test(sign) && cursor.isBlank(1);
    if (isSign || /[,\]}#&!|>%@`]/.test(sign) || sign === '')
      cursor.fail(
        sign === '' ? 'a value is missing' : `a text cannot begin with ${JSON.stringify(sign)}`,
        'Put the text in quotation marks.',
      );
    const plain = plainText(cursor, indent, isInside);
    if (plain === '') cursor.fail(`a text cannot begin with ${JSON.stringify(sign)}`, 'Put the text in quotation marks.');
    return { value: plain, plain };
  }

  /** A value in brackets, which may be left out. */
  #inner(): Inner {
    const cursor = this.#cursor;
    let properties = this.nodes.properties();
    for (cursor.skip(); cursor.peek() === '&' || cursor.peek() === '!'; cursor.skip())
      properties = this.nodes.merge(properties, this.nodes.properties());
    if (/[,\]}]/.test(cursor.peek()) || (cursor.peek() === ':' && cursor.isBlank(1))) return { value: '', plain: '', properties };
    return { ...this.#inline(-1, true), properties };
  }

  #finished(inner: Inner): unknown {
    return this.nodes.finish(inner.properties, inner.value, inner.plain);
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    this.#brackets(']', () => {
      const inner = this.#inner();
      this.#cursor.skip();
      if (this.#cursor.peek() !== ':') {
        items.push(this.#finished(inner));
        return;
      }
      const pair: Record<string, unknown> = {};
      this.#pair(pair, inner);
      items.push(this.nodes.endMap(pair));
    });
    return items;
  }

  #braces(): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    this.#brackets('}', () => {
      if (this.#cursor.peek() === '?' && this.#cursor.isBlank(1)) this.#cursor.at++;
      this.#cursor.skip();
      this.#pair(map, this.#inner());
    });
    return this.nodes.endMap(map);
  }

  #pair(map: Record<string, unknown>, inner: Inner): void {
    const key = this.nodes.finishKey(inner.properties, inner.value, inner.plain);
    this.#cursor.skip();
    if (this.#cursor.peek() !== ':') {
      this.nodes.set(map, key, null);
      return;
    }
    this.#cursor.at++;
    this.#cursor.skip();
    this.nodes.set(map, key, this.#finished(this.#inner()));
  }

  #brackets(end: string, entry: () => void): void {
    this.#deeper();
    const cursor = this.#cursor;
    const began = cursor.line;
    cursor.at++;
    for (;;) {
      cursor.skip();
      if (cursor.peek() === end) break;
      if (cursor.atEnd || cursor.isMarker()) cursor.fail(`the bracket that is opened in line ${began} has no end`);
      entry();
      cursor.skip();
      if (cursor.peek() === ',') cursor.at++;
      else if (cursor.peek() !== end && !cursor.atEnd)
        cursor.fail(`"," or "${end}" was expected`, `The bracket is opened in line ${began}.`);
    }
    cursor.at++;
    this.#depth--;
  }

  #deeper(): void {
    if (++this.#depth > DEEPEST)
      this.#cursor.fail(`maps and lists are nested deeper than ${DEEPEST}`, 'Flatten it; no component needs that.');
  }
}
