import { ExpressionParser } from './parse-expression.ts';
import { BLOCK_TEXT, type Expression, type TemplateStatement, type Target } from './nodes.ts';
import { type Piece, piecesOf, templateFailed } from './tokens.ts';
import type { TemplateError } from './failures.ts';

const DEEPEST = 50;
/** Tags that Jinja has and manifests do not need: they load files or define functions. */
const REFUSED = new Set(['include', 'import', 'from', 'extends', 'block', 'macro', 'call', 'autoescape']);

/** Reads a template; throws a TemplateError that shows it. */
export function parseTemplate(template: string): readonly TemplateStatement[] {
  return new TemplateParser(template).parse();
}

class TemplateParser {
  readonly #template: string;
  readonly #pieces: readonly Piece[];
  #at = 0;
  #depth = 0;

  constructor(template: string) {
    this.#template = template;
    this.#pieces = piecesOf(template);
  }

  parse(): readonly TemplateStatement[] {
    const { body, ended } = this.#until([]);
    if (ended) throw this.#failed(`{% ${ended.name} %} is not expected`);
    return body;
  }

  /** Statements until one of these tags, whose words are left to be read. */
  #until(names: readonly string[]): { body: readonly TemplateStatement[]; ended: { name: string; words: ExpressionParser } | undefined } {
    if (++this.#depth > DEEPEST) throw this.#failed(`tags are nested deeper than ${DEEPEST}`);
    const body: TemplateStatement[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++] as Piece;
      if (piece.kind === 'text') {
        body.push(piece);
        continue;
      }
      const words = new ExpressionParser(this.#template, piece.tokens);
      if (piece.kind === 'output') {
        if (words.isOver) throw this.#failed('{{ }} has nothing in it');
        const value = words.tuple();
        words.end();
        body.push({ kind: 'output', value });
        continue;
      }
      const name = words.name();
      if (names.includes(name)) {
        this.#depth--;
        return { body, ended: { name, words } };
      }
      body.push(this.#tag(name, words));
    }
    this.#depth--;
    return { body, ended: undefined };
  }

  #block(names: readonly string[]): { body: readonly TemplateStatement[]; name: string; words: ExpressionParser } {
    const { body, ended } = this.#until(names);
    if (!ended) throw this.#failed(`{% ${names.at(-1)} %} is missing`);
    return { body, ...ended };
  }

  #tag(name: string, words: ExpressionParser): TemplateStatement {
    switch (name) {
      case 'if':
        return this.#if(words);
      case 'for':
        return this.#for(words);
      case 'set':
        return this.#set(words);
      case 'with':
        return this.#with(words);
      case 'filter': {
        const wrap = words.filters(words.filter({ kind: 'name', name: BLOCK_TEXT }));
        words.end();
        return { kind: 'filter-block', wrap, body: this.#ended(this.#block(['endfilter'])) };
      }
      default:
        throw this.#failed(REFUSED.has(name) ? `the tag {% ${name} %} is not supported` : `there is no tag {% ${name} %}`);
    }
  }

  #if(words: ExpressionParser): TemplateStatement {
    const branches: (readonly [Expression, readonly TemplateStatement[]])[] = [];
    let test = words.tuple(false);
    words.end();
    for (;;) {
      const block = this.#block(['elif', 'else', 'endif']);
      branches.push([test, block.body]);
      if (block.name === 'elif') test = block.words.tuple(false);
      block.words.end();
      if (block.name === 'endif') return { kind: 'if', branches, otherwise: [] };
      if (block.name === 'else') return { kind: 'if', branches, otherwise: this.#ended(this.#block(['endif'])) };
    }
  }

  #for(words: ExpressionParser): TemplateStatement {
    const target = words.target();
    if (!words.takeName('in')) throw this.#failed('"in" is missing in {% for %}');
    const of = words.tuple(false);
    const test = words.takeName('if') ? words.expression() : undefined;
    if (words.isName('recursive')) throw this.#failed('loops that call themselves are not supported');
    words.end();
    const block = this.#block(['else', 'endfor']);
    block.words.end();
    const otherwise = block.name === 'else' ? this.#ended(this.#block(['endfor'])) : [];
    return { kind: 'for', target, of, test, body: block.body, otherwise };
  }

  #set(words: ExpressionParser): TemplateStatement {
    const target = words.target();
    if (words.takeSign('=')) {
      const value = words.tuple();
      words.end();
      return { kind: 'set', target, value };
    }
    const wrap = words.filters({ kind: 'name', name: BLOCK_TEXT });
    words.end();
    return { kind: 'set-block', target, wrap, body: this.#ended(this.#block(['endset'])) };
  }

  #with(words: ExpressionParser): TemplateStatement {
    const given: (readonly [Target, Expression])[] = [];
    while (!words.isOver) {
      if (given.length > 0 && !words.takeSign(',')) throw this.#failed('"," is missing in {% with %}');
      const target = words.oneTarget();
      if (!words.takeSign('=')) throw this.#failed('"=" is missing in {% with %}');
      given.push([target, words.expression()]);
    }
    return { kind: 'with', given, body: this.#ended(this.#block(['endwith'])) };
  }

  #ended({ body, words }: { body: readonly TemplateStatement[]; words: ExpressionParser }): readonly TemplateStatement[] {
    words.end();
    return body;
  }

  #failed(reason: string): TemplateError {
    return templateFailed(this.#template, reason);
  }
}
