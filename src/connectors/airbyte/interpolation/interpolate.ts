import { TemplateError, TypeMismatch, UndefinedUse } from './failures.ts';
import { literalOf } from './literal.ts';
import type { TemplateStatement } from './nodes.ts';
import { parseTemplate } from './parse-template.ts';
import { render } from './render.ts';
import { undeclaredIn } from './undeclared.ts';
import { Dict, Float, isFloat, isInt } from './values.ts';
import { beginTemplate } from './work.ts';
import { textOf } from './written.ts';

/** What templates see, by name: `config`, `parameters`, `record` and so on. A name that is not among them is a failure. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/** The types that a rendered text may become, besides itself. */
export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'null';

export interface InterpolateOptions {
  /** A text that is written like a value of another type stays a text. Without them, any value counts. */
  readonly validTypes?: readonly ValueType[] | undefined;
  /** A template for when the first one comes out empty or asks something of a value that is not there; without it, null. */
  readonly default?: string | undefined;
}

interface Compiled {
  readonly statements: readonly TemplateStatement[];
  readonly needed: ReadonlySet<string>;
}

const MOST_REMEMBERED = 5000;
const compiled = new Map<string, Compiled | TemplateError>();

/**
 * The value of a template; anything but a text comes back as it is. A rendered text that is written like a value of Python
 * is that value. Throws a TemplateError, an OutsideError of the kind `config`.
 */
export function interpolate(
  template: unknown,
  context: TemplateContext,
  { validTypes, default: missing }: InterpolateOptions = {},
): unknown {
  if (typeof template !== 'string') return template;
  beginTemplate();
  refuseStreamState(template);
  const names = withAliases(context);
  const text = renderedOrNothing(template, names);
  if (text) return valueOf(text, validTypes);
  if (missing === undefined) return null;
  try {
    return valueOf(rendered(missing, names), validTypes);
  } catch (error) {
    if (error instanceof UndefinedUse)
      throw new TemplateError(
        `The template ${shown(missing)} asks something of a value that is not there.`,
        'Check the settings and the data, or give it a default.',
      );
    throw error;
  }
}

/** Whether a condition holds: nothing, zero and what is empty do not. */
export function interpolateBoolean(condition: unknown, context: TemplateContext): boolean {
  if (typeof condition === 'boolean') return condition;
  const value = interpolate(condition, context, { default: 'False' });
  if (typeof value === 'string') return !FALSE_TEXTS.has(value);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  // Zero is equal to False.
  return value !== false && value !== null && value !== 0;
}

const FALSE_TEXTS = new Set(['False', 'false', '{}', '[]', '()', '', '0', '0.0']);

/** All texts in a value, at whatever depth, as templates; members that come out as null are left out. */
export function interpolateDeep(value: unknown, context: TemplateContext): unknown {
  if (typeof value === 'string') return interpolate(value, context);
  if (Array.isArray(value)) return value.map((item) => interpolateDeep(item, context));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const made = interpolateDeep(member, context);
    if (made !== null) setMember(result, textOf(interpolate(name, context)), made);
  }
  return result;
}

function renderedOrNothing(template: string, context: TemplateContext): string | undefined {
  try {
    return rendered(template, context);
  } catch (error) {
    if (error instanceof UndefinedUse) return undefined;
    throw error;
  }
}

function rendered(template: string, context: TemplateContext): string {
  if (!template.includes('{')) return template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const { statements, needed } = compile(template);
  for (const name of needed)
    if (!Object.hasOwn(context, name))
      throw new TemplateError(
        `The template ${shown(template)} uses "${name}", which is not known here.`,
        `Known here: ${Object.keys(context).join(', ')}.`,
      );
  try {
    return render(statements, context);
  } catch (error) {
    if (error instanceof TypeMismatch) return template;
    throw error;
  }
}

function compile(template: string): Compiled {
  const found = compiled.get(template) ?? compiledAnew(template);
  if (found instanceof TemplateError) throw found;
  return found;
}

function compiledAnew(template: string): Compiled | TemplateError {
  let made: Compiled | TemplateError;
  try {
    const statements = parseTemplate(template);
    made = { statements, needed: undeclaredIn(statements) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    made = error;
  }
  if (compiled.size >= MOST_REMEMBERED) compiled.clear();
  compiled.set(template, made);
  return made;
}

/** What is wrong with a template, without rendering it; undefined when it can be understood. */
export function templateFault(template: string): TemplateError | undefined {
  const found = compiled.get(template) ?? compiledAnew(template);
  return found instanceof TemplateError ? found : undefined;
}

function withAliases(context: TemplateContext): TemplateContext {
  if (!Object.hasOwn(context, 'stream_slice')) return context;
  return { stream_interval: context.stream_slice, stream_partition: context.stream_slice, ...context };
}

function refuseStreamState(template: string): void {
  if (template.includes('stream_state'))
    throw new TemplateError(
      `The template ${shown(template)} uses "stream_state", which is not supported any more.`,
      'Use stream_interval instead.',
    );
}

/** The value that a rendered text is written as, where its type is asked for. */
function valueOf(text: string, validTypes: readonly ValueType[] | undefined): unknown {
  const literal = literalOf(text);
  if (literal === undefined) return text;
  return validTypes === undefined || validTypes.some((type) => isOf(literal, type)) ? toOutside(literal) : text;
}

function isOf(value: unknown, type: ValueType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return isInt(value) || typeof value === 'boolean';
    case 'number':
      return isFloat(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'object':
      return value instanceof Dict;
    default:
      return value === null;
  }
}

/** A value as JSON has it. */
function toOutside(value: unknown): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value === 'bigint') return JSON.rawJSON(value.toString());
  if (Array.isArray(value)) return Array.from(value, toOutside);
  if (!(value instanceof Dict)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of value.entries()) setMember(result, keyText(key), toOutside(member));
  return result;
}

function keyText(key: unknown): string {
  return typeof key === 'boolean' || key === null ? String(key) : textOf(key);
}

function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

const SHOWN = 120;

function shown(template: string): string {
  return JSON.stringify(template.length > SHOWN ? `${template.slice(0, SHOWN)}…` : template);
}
