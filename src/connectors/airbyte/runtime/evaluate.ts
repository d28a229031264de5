import { isJsonObject, type JsonObject } from '../../../lib/exact-json.ts';
import { interpolate, interpolateBoolean, type ValueType } from '../interpolation/interpolate.ts';
import { type Part, parametersOf } from './parts.ts';
import { pythonText } from './python-text.ts';

/** What expressions see besides the settings and parameters, such as `record` or `next_page_token`. */
export type Variables = Readonly<Record<string, unknown>>;

/** Where expressions are evaluated: the settings, and the parameters of the component that they stand in. */
export interface TemplateScope {
  readonly config: JsonObject;
  readonly parameters: JsonObject;
}

export function scopeOf(config: JsonObject, part: Part | undefined): TemplateScope {
  return { config, parameters: parametersOf(part) };
}

/** The value of a template; anything but a text is its own value. */
export function evaluate(template: unknown, scope: TemplateScope, variables: Variables = {}): unknown {
  return evaluateAs(template, undefined, scope, variables);
}

/** The value of a template as text, even if it looks like a number. */
export function evaluateText(template: unknown, scope: TemplateScope, variables: Variables = {}): string {
  return template === undefined || template === null ? '' : pythonText(evaluateAs(template, ['string'], scope, variables));
}

export function evaluateTexts(templates: readonly unknown[], scope: TemplateScope, variables: Variables = {}): string[] {
  return templates.map((template) => evaluateText(template, scope, variables));
}

/** The value of a template of which only these types count: another stays the text that it was rendered as. */
export function evaluateAs(
  template: unknown,
  types: readonly ValueType[] | undefined,
  scope: TemplateScope,
  variables: Variables = {},
): unknown {
  if (typeof template !== 'string') return template;
  return interpolate(
    template,
    { ...variables, config: scope.config, parameters: scope.parameters },
    { validTypes: types, default: template },
  );
}

/** The same, with null for what comes out empty. */
function evaluateMember(template: unknown, types: readonly ValueType[] | undefined, scope: TemplateScope, variables: Variables): unknown {
  if (typeof template !== 'string') return template;
  return interpolate(template, { ...variables, config: scope.config, parameters: scope.parameters }, { validTypes: types });
}

/** Whether a condition holds. */
export function holds(condition: unknown, scope: TemplateScope, variables: Variables = {}): boolean {
  if (typeof condition === 'boolean') return condition;
  return interpolateBoolean(condition, { ...variables, config: scope.config, parameters: scope.parameters });
}

/** A flat map: names and texts are templates. What comes out empty is left out. */
export function evaluateMap(
  map: unknown,
  scope: TemplateScope,
  variables: Variables = {},
  types?: readonly ValueType[],
): Record<string, unknown> {
  const given = typeof map === 'string' ? evaluate(map, scope, variables) : map;
  if (!isJsonObject(given)) return {};
  const result: Record<string, unknown> = {};
  for (const [name, template] of Object.entries(given)) {
    const value = evaluateMember(template, types, scope, variables);
    if (value !== null && value !== undefined) result[evaluateText(name, scope, variables)] = value;
  }
  return result;
}

/** Any value: all texts in it are templates, at whatever depth. Members that come out empty are left out. */
export function evaluateNested(value: unknown, scope: TemplateScope, variables: Variables = {}): unknown {
  if (typeof value === 'string') return evaluateMember(value, undefined, scope, variables);
  if (Array.isArray(value)) return value.map((entry) => evaluateNested(entry, scope, variables));
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const made = evaluateNested(member, scope, variables);
    if (made !== null && made !== undefined) result[pythonText(evaluate(name, scope, variables))] = made;
  }
  return result;
}
