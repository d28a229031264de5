/** An argument list: `f(1, *rest, name=2, **more)`. */
export interface CallArguments {
  readonly args: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
  readonly rest: Expression | undefined;
  readonly more: Expression | undefined;
}

/** What stands within `{{ }}`. */
export type Expression =
  | { readonly kind: 'const'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'choice'; readonly test: Expression; readonly chosen: Expression; readonly otherwise: Expression | undefined }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not' | 'minus' | 'plus'; readonly of: Expression }
  | { readonly kind: 'compare'; readonly first: Expression; readonly rest: readonly (readonly [string, Expression])[] }
  | { readonly kind: 'compute'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
  | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly index: Expression }
  | { readonly kind: 'slice'; readonly of: Expression; readonly bounds: readonly (Expression | undefined)[] }
  | { readonly kind: 'call'; readonly of: Expression; readonly given: CallArguments }
  | { readonly kind: 'filter' | 'test'; readonly name: string; readonly of: Expression; readonly given: CallArguments };

/** Where a value goes: a name, a member of a namespace, or several names. */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly name: string; readonly member: string }
  | { readonly kind: 'names'; readonly targets: readonly Target[] };

/** What a template is made of. */
export type TemplateStatement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | {
      readonly kind: 'if';
      readonly branches: readonly (readonly [Expression, readonly TemplateStatement[]])[];
      readonly otherwise: readonly TemplateStatement[];
    }
  | {
      readonly kind: 'for';
      readonly target: Target;
      readonly of: Expression;
      readonly test: Expression | undefined;
      readonly body: readonly TemplateStatement[];
      readonly otherwise: readonly TemplateStatement[];
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  /** `wrap` holds the filters of the block around the name of what was rendered. */
  | { readonly kind: 'set-block'; readonly target: Target; readonly wrap: Expression; readonly body: readonly TemplateStatement[] }
  | { readonly kind: 'with'; readonly given: readonly (readonly [Target, Expression])[]; readonly body: readonly TemplateStatement[] }
  | { readonly kind: 'filter-block'; readonly wrap: Expression; readonly body: readonly TemplateStatement[] };

/** The name under which the text of a block is handed to its filters. No template can have it. */
export const BLOCK_TEXT = '{block}';
