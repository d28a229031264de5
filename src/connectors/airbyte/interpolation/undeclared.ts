import { GLOBALS } from './macros.ts';
import { BLOCK_TEXT, type CallArguments, type Expression, type TemplateStatement, type Target } from './nodes.ts';

// Which names a template needs to be given. As in the original, a name counts that is used anywhere, even where the
// template would not get to it, and so does one that is set in some branches only.

type Names = Set<string>;

export function undeclaredIn(statements: readonly TemplateStatement[]): ReadonlySet<string> {
  const needed: Names = new Set();
  visitScope(statements, new Set(), new Set(), needed);
  for (const name of [BLOCK_TEXT, 'self', ...GLOBALS.keys()]) needed.delete(name);
  return needed;
}

interface Scope {
  /** What scopes around it set, wherever they do. */
  readonly outer: Names;
  /** What is known so far: outer names and its own. */
  readonly known: Names;
  /** Scopes within it, which are looked at when all of its own names are known. */
  readonly inner: (() => void)[];
}

function visitScope(statements: readonly TemplateStatement[], outer: Names, own: Names, needed: Names): void {
  const scope: Scope = { outer, known: outer.union(own), inner: [] };
  visit(statements, scope, needed);
  for (const look of scope.inner) look();
}

function visit(statements: readonly TemplateStatement[], scope: Scope, needed: Names): void {
  const { known } = scope;
  const within = (body: readonly TemplateStatement[], own: Names = new Set()): void => {
    scope.inner.push(() => visitScope(body, known, own, needed));
  };
  for (const statement of statements) {
    switch (statement.kind) {
      case 'text':
        break;
      case 'output':
        use(statement.value, known, needed);
        break;
      case 'if':
        visitIf(statement, scope, needed);
        break;
      case 'for':
        visitFor(statement, scope, needed, within);
        break;
      case 'set':
        use(statement.value, known, needed);
        declare(statement.target, known, needed);
        break;
      case 'set-block':
        within(statement.body);
        use(statement.wrap, known, needed);
        declare(statement.target, known, needed);
        break;
      case 'with': {
        const own: Names = new Set();
        for (const [target, value] of statement.given) {
          use(value, known, needed);
          declare(target, own, needed);
        }
        within(statement.body, own);
        break;
      }
      case 'filter-block':
        within(statement.body);
        use(statement.wrap, known, needed);
    }
  }
}

function visitFor(
  { target, of, test, body, otherwise }: Extract<TemplateStatement, { kind: 'for' }>,
  { known, inner }: Scope,
  needed: Names,
  within: (body: readonly TemplateStatement[], own?: Names) => void,
): void {
  use(of, known, needed);
  const own: Names = new Set(['loop']);
  declare(target, own, needed);
  inner.push(() => use(test, known.union(own), needed));
  within(body, own);
  within(otherwise);
}

/** A name that a branch sets is not known to be set: it has to be given as well. */
function visitIf({ branches, otherwise }: Extract<TemplateStatement, { kind: 'if' }>, scope: Scope, needed: Names): void {
  const set: Names = new Set();
  for (const [test, body] of [...branches, [undefined, otherwise] as const]) {
    const known = new Set(scope.known);
    use(test, known, needed);
    visit(body, { ...scope, known }, needed);
    for (const name of known) if (!scope.known.has(name)) set.add(name);
  }
  for (const name of set) {
    scope.known.add(name);
    if (!scope.outer.has(name)) needed.add(name);
  }
}

function declare(target: Target, known: Names, needed: Names): void {
  if (target.kind === 'name') known.add(target.name);
  else if (target.kind === 'names') for (const part of target.targets) declare(part, known, needed);
  else if (!known.has(target.name)) needed.add(target.name);
}

function use(node: Expression | undefined, known: Names, needed: Names): void {
  if (!node) return;
  const each = (nodes: readonly (Expression | undefined)[]): void => {
    for (const part of nodes) use(part, known, needed);
  };
  switch (node.kind) {
    case 'const':
      break;
    case 'name':
      if (!known.has(node.name)) needed.add(node.name);
      break;
    case 'list':
    case 'tuple':
      each(node.items);
      break;
    case 'dict':
      each(node.pairs.flat());
      break;
    case 'choice':
      each([node.test, node.chosen, node.otherwise]);
      break;
    case 'and':
    case 'or':
    case 'compute':
      each([node.left, node.right]);
      break;
    case 'compare':
      each([node.first, ...node.rest.map(([, right]) => right)]);
      break;
    case 'concat':
      each(node.parts);
      break;
    case 'item':
      each([node.of, node.index]);
      break;
    case 'slice':
      each([node.of, ...node.bounds]);
      break;
    case 'call':
    case 'filter':
    case 'test':
      each([node.of, ...argumentsOf(node.given)]);
      break;
    default:
      use(node.of, known, needed);
  }
}

function argumentsOf({ args, named, rest, more }: CallArguments): (Expression | undefined)[] {
  return [...args, ...named.map(([, value]) => value), rest, more];
}
