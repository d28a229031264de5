import { OutsideError } from '../../../outside/errors.ts';
import { interpolate, interpolateBoolean, type ValueType } from '../interpolation/interpolate.ts';
import { textOf } from '../interpolation/written.ts';
import { schemaFault } from './json-schema.ts';
import type { Component } from './manifest.ts';
import { createAt, removeAt, valuesAt } from './paths.ts';

// A manifest's `spec` may have rules for settings: migrations of older ones, members that are made of others, and checks.

type Settings = Readonly<Record<string, unknown>>;

interface Rules {
  readonly config_migrations?: readonly { readonly transformations?: readonly Component[] }[];
  readonly transformations?: readonly Component[];
  readonly validations?: readonly Component[];
}

function rulesOf(spec: Component | undefined): Rules {
  return spec?.config_normalization_rules ?? {};
}

/** The settings as the manifest's templates see them. What was given is left as it is. */
export function normalizedSettings(spec: Component | undefined, settings: Settings): Settings {
  const { config_migrations: migrations = [], transformations = [] } = rulesOf(spec);
  const all = [...migrations.flatMap((migration) => migration.transformations ?? []), ...transformations];
  if (all.length === 0) return settings;
  const made = structuredClone(settings) as Record<string, unknown>;
  for (const transformation of all) transform(transformation, made);
  return made;
}

function transform(rule: Component, settings: Record<string, unknown>): void {
  const isUnconditional = rule.condition === undefined || rule.condition === null || rule.condition === '';
  const context = { config: settings, parameters: {} };
  if (rule.type === 'ConfigAddFields') {
    for (const { path, value, value_type: type } of (rule.fields ?? []) as Component[]) {
      const made = interpolate(value, context, {
        validTypes: type === undefined ? undefined : [type as ValueType],
        default: String(value),
      });
      if (isUnconditional || interpolateBoolean(rule.condition, { ...context, value: made, path })) createAt(settings, namesOf(path), made);
    }
  } else if (rule.type === 'ConfigRemoveFields') {
    if (!isUnconditional && !interpolateBoolean(rule.condition, context)) return;
    for (const pointer of (rule.field_pointers ?? []) as unknown[]) removeAt(settings, namesOf(pointer));
  } else if (rule.type === 'ConfigRemapField') remap(rule, settings);
}

function remap(rule: Component, settings: Record<string, unknown>): void {
  const context = { config: settings, parameters: {} };
  const path = namesOf(rule.field_path).map((name) => textOf(interpolate(name, context)));
  const [value] = valuesAt(settings, path);
  if (typeof value === 'object' || value === undefined) return;
  const entry = Object.entries((rule.map ?? {}) as Settings).find(
    ([name]) => interpolate(name, context, { validTypes: ['string'] }) === value,
  );
  if (entry) createAt(settings, path, interpolate(entry[1], context));
}

function namesOf(path: unknown): string[] {
  return Array.isArray(path) ? path.map((name) => textOf(name)) : [textOf(path)];
}

/** Throws when the settings break one of the checks of the manifest's spec. */
export function checkSettings(spec: Component | undefined, settings: Settings): void {
  for (const validation of rulesOf(spec).validations ?? []) {
    const { base_schema: schema } = (validation.validation_strategy ?? {}) as { base_schema?: unknown };
    const path = namesOf(validation.field_path ?? []);
    const values = validation.type === 'PredicateValidator' ? [predicateValue(validation, settings)] : valuesAt(settings, path);
    for (const value of values) {
      const fault = schemaFault(asJson(value), schema);
      if (fault !== undefined)
        throw new OutsideError(
          'config',
          'SETTINGS_INVALID',
          `The settings break a rule of the manifest: ${path.join('.') || 'a value'} ${fault}.`,
          {
            field: 'settings',
            hint: 'Correct this member of the settings.',
          },
        );
    }
  }
}

function predicateValue(validation: Component, settings: Settings): unknown {
  return interpolate(validation.value, { config: settings, parameters: {} }, { default: String(validation.value) });
}

function asJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
