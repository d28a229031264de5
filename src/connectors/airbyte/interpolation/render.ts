import { TemplateError, TypeMismatch } from './failures.ts';
import { evaluate, type Frame } from './evaluate.ts';
import { BLOCK_TEXT, type Expression, type TemplateStatement, type Target } from './nodes.ts';
import { Callable, Namespace, Undefined } from './values.ts';
import { LONGEST_TEXT, spend, spendOnText } from './work.ts';
import { isTruthy, itemsOf, textOf } from './written.ts';

/** The text that a template makes. */
export function render(statements: readonly TemplateStatement[], context: Readonly<Record<string, unknown>>): string {
  const output = new Output();
  run(statements, { names: new Map(), parent: undefined, context }, output);
  return output.text;
}

class Output {
  text = '';

  add(text: string): void {
    spendOnText(text.length);
    this.text += text;
    if (this.text.length > LONGEST_TEXT) spendOnText(this.text.length);
  }
}

function run(statements: readonly TemplateStatement[], frame: Frame, output: Output): void {
  for (const statement of statements) {
    spend(1);
    switch (statement.kind) {
      case 'text':
        output.add(statement.text);
        break;
      case 'output':
        output.add(textOf(evaluate(statement.value, frame)));
        break;
      case 'if':
        run(statement.branches.find(([test]) => isTruthy(evaluate(test, frame)))?.[1] ?? statement.otherwise, frame, output);
        break;
      case 'for':
        loop(statement, frame, output);
        break;
      case 'set':
        assign(statement.target, evaluate(statement.value, frame), frame);
        break;
      case 'set-block':
        assign(statement.target, wrapped(statement.wrap, statement.body, frame), frame);
        break;
      case 'with': {
        const inner = innerFrame(frame);
        for (const [target, value] of statement.given) assign(target, evaluate(value, frame), inner);
        run(statement.body, inner, output);
        break;
      }
      case 'filter-block':
        output.add(textOf(wrapped(statement.wrap, statement.body, frame)));
    }
  }
}

function innerFrame(parent: Frame): Frame {
  return { names: new Map(), parent, context: parent.context };
}

/** What the filters of a block make of its text. */
function wrapped(wrap: Expression, body: readonly TemplateStatement[], frame: Frame): unknown {
  const inner = new Output();
  run(body, innerFrame(frame), inner);
  const around = innerFrame(frame);
  around.names.set(BLOCK_TEXT, inner.text);
  return evaluate(wrap, around);
}

function loop(statement: Extract<TemplateStatement, { kind: 'for' }>, frame: Frame, output: Output): void {
  const { target, test, body } = statement;
  const all = [...itemsOf(evaluate(statement.of, frame))];
  const items = test ? all.filter((item) => isKept(item, target, test, frame)) : all;
  if (items.length === 0) {
    run(statement.otherwise, innerFrame(frame), output);
    return;
  }
  for (const [i, item] of items.entries()) {
    spend(10);
    const inner = innerFrame(frame);
    inner.names.set('loop', loopValue(items, i));
    assign(target, item, inner);
    run(body, inner, output);
  }
}

function isKept(item: unknown, target: Target, test: Expression, frame: Frame): boolean {
  spend(5);
  const inner = innerFrame(frame);
  assign(target, item, inner);
  return isTruthy(evaluate(test, inner));
}

function loopValue(items: readonly unknown[], i: number): unknown {
  return {
    index: i + 1,
    index0: i,
    revindex: items.length - i,
    revindex0: items.length - i - 1,
    first: i === 0,
    last: i === items.length - 1,
    length: items.length,
    previtem: i > 0 ? items[i - 1] : new Undefined('the first item has none before it'),
    nextitem: i < items.length - 1 ? items[i + 1] : new Undefined('the last item has none after it'),
    depth: 1,
    depth0: 0,
    cycle: new Callable('cycle', (args) => {
      if (args.length === 0) throw new TypeMismatch('cycle needs values');
      return args[i % args.length];
    }),
  };
}

function assign(target: Target, value: unknown, frame: Frame): void {
  if (target.kind === 'name') {
    frame.names.set(target.name, value);
    return;
  }
  if (target.kind === 'member') {
    const space = evaluate({ kind: 'name', name: target.name }, frame);
    if (!(space instanceof Namespace))
      throw new TemplateError(`A template sets ${target.name}.${target.member}, and ${target.name} is no namespace.`);
    space.members.set(target.member, value);
    return;
  }
  const items = itemsOf(value);
  if (items.length !== target.targets.length)
    throw new TemplateError(
      `A template takes ${target.targets.length} values out of a list of ${items.length}.`,
      'Correct the names before "in" or "=".',
    );
  for (const [i, part] of target.targets.entries()) assign(part, items[i], frame);
}
