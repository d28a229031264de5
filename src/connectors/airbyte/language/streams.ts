import { interpolate, interpolateBoolean, type ValueType } from '../interpolation/interpolate.ts';
import { isTruthy, textOf } from '../interpolation/written.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Component, ResolvedManifest } from './manifest.ts';
import { propagate } from './parameters.ts';
import { createAt, setAt, valuesAt } from './paths.ts';
import { parseYaml } from './yaml.ts';

type Settings = Readonly<Record<string, unknown>>;

/** The streams that the manifest has under these settings: those of `ConditionalStreams` only where their condition holds. */
export function streamsUnder(manifest: ResolvedManifest, settings: Settings): Component[] {
  return manifest.streams.flatMap((stream) => {
    if (stream.type !== 'ConditionalStreams') return [stream];
    const isOn = interpolateBoolean(stream.condition, { config: settings, parameters: {} });
    return isOn && Array.isArray(stream.streams) ? (stream.streams as Component[]) : [];
  });
}

/** What one stream of a dynamic definition is made from, and the slice that it was read in. */
export interface DynamicValues {
  readonly values: unknown;
  readonly slice?: unknown;
}

/** What the streams of a dynamic definition are made from; undefined when it has to be read by its retriever. */
export function dynamicValues(definition: Component, settings: Settings): DynamicValues[] | undefined {
  const resolver = resolverOf(definition);
  switch (resolver.type) {
    case 'ConfigComponentsResolver':
      return settingsValues(resolver, settings).map((values) => ({ values }));
    case 'ParametrizedComponentsResolver': {
      const { list_of_parameters_for_stream: list } = (resolver.stream_parameters ?? {}) as { list_of_parameters_for_stream?: unknown };
      return Array.isArray(list) ? list.map((values: unknown) => ({ values })) : [];
    }
    default:
      return undefined;
  }
}

/** The retriever that reads what the streams of a dynamic definition are made from, with parameters handed down. */
export function resolverOf(definition: Component): Component {
  const resolver = definition.components_resolver;
  if (typeof resolver !== 'object' || resolver === null)
    throw new OutsideError('config', 'MANIFEST_INVALID', 'The manifest has dynamic streams without a components_resolver.', {
      field: 'manifest',
      hint: 'Add a components_resolver that says what the streams are made from.',
    });
  return resolver as Component;
}

/** Every combination of the entries that the settings have at the places that the definition names. */
function settingsValues(resolver: Component, settings: Settings): Record<string, unknown>[] {
  const given = Array.isArray(resolver.stream_config) ? resolver.stream_config : [resolver.stream_config];
  const lists = (given as Component[]).map(({ configs_pointer: pointer, default_values: more, $parameters: parameters }) => {
    const path = (pointer as unknown[]).map((name) => textOf(interpolate(name, { config: settings, parameters: parameters ?? {} })));
    const [found = []] = valuesAt(settings, path);
    return [...(Array.isArray(found) ? found : [found]), ...(Array.isArray(more) ? more : [])] as unknown[];
  });
  return product(lists).map((entries) => {
    const merged: Record<string, unknown> = {};
    entries.forEach(([index, entry], i) => {
      if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) Object.assign(merged, entry);
      else merged[`source_config_${i}`] ??= [index, entry];
    });
    return merged;
  });
}

const MOST_COMBINATIONS = 10_000;

function product(lists: readonly (readonly unknown[])[]): (readonly [number, unknown])[][] {
  let made: (readonly [number, unknown])[][] = [[]];
  for (const list of lists) {
    if (made.length * list.length > MOST_COMBINATIONS)
      throw new OutsideError('config', 'STREAMS_TOO_MANY', `The settings make more than ${MOST_COMBINATIONS} streams.`, {
        field: 'settings',
        hint: 'Make the lists in the settings shorter.',
      });
    made = made.flatMap((entries) => list.map((entry, index) => [...entries, [index, entry] as const]));
  }
  return made;
}

/** The streams of a dynamic definition, one for each of the values. `seen` has the names of dynamic streams so far. */
export function expandDynamic(
  definition: Component,
  index: number,
  settings: Settings,
  all: readonly DynamicValues[],
  seen: Set<string>,
): Component[] {
  const resolver = resolverOf(definition);
  return all.map((one) => {
    const filled = filledTemplate(definition.stream_template, resolver, settings, one);
    const stream = propagate(filled, {}, '', definition.use_parent_parameters !== false) as Component;
    stream.type ??= 'DeclarativeStream';
    stream.dynamic_stream_name = definition.name ?? `dynamic_stream_${index}`;
    const { name } = stream;
    const fault = typeof name !== 'string' ? 'has no name' : seen.has(name) ? `is called "${name}", as another is` : undefined;
    if (fault !== undefined)
      throw new OutsideError('config', 'STREAM_NAME', `A dynamic stream of the manifest ${fault}.`, {
        field: 'settings',
        hint: 'Give the streams names of their own in the settings, or correct the components_mapping.',
      });
    seen.add(name as string);
    return stream;
  });
}

function filledTemplate(
  template: unknown,
  resolver: Component,
  settings: Settings,
  { values, slice }: DynamicValues,
): Record<string, unknown> {
  const filled = structuredClone(template) as Record<string, unknown>;
  const isRead = resolver.type === 'HttpComponentsResolver';
  for (const mapping of (resolver.components_mapping ?? []) as Component[]) {
    const context = {
      config: settings,
      parameters: mapping.$parameters ?? {},
      stream_template_config: template,
      components_values: values,
      ...(isRead ? { stream_slice: slice ?? {} } : {}),
    };
    if (typeof mapping.condition === 'string' && mapping.condition !== '' && !isRead && !interpolateBoolean(mapping.condition, context))
      continue;
    const validTypes = typeof mapping.value_type === 'string' ? [mapping.value_type as ValueType] : undefined;
    const made = interpolate(mapping.value, context, { validTypes, default: String(mapping.value) });
    const path = (mapping.field_path as unknown[]).map((name) => textOf(interpolate(name, context, { default: String(name) })));
    const value = isRead || mapping.value_type === 'string' ? made : readIfYaml(made);
    const places = setAt(filled, path, value);
    if (places === 0 && mapping.create_or_update === true && !isRead && isTruthy(value)) createAt(filled, path, value);
  }
  return filled;
}

/** A text that is written like a component in YAML is that component. */
function readIfYaml(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseYaml(value);
  } catch (error) {
    if (error instanceof OutsideError) return value;
    throw error;
  }
}
