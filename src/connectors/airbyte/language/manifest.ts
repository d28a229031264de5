import { OutsideError } from '../../../outside/errors.ts';
import { refuseUnknownTypes } from './check-types.ts';
import { propagate } from './parameters.ts';
import { resolveReferences } from './references.ts';
import { parseYaml } from './yaml.ts';

/** A part of a manifest, with its type. References are replaced; `$parameters` has what was handed down to it. */
export type Component = { type: string } & Record<string, unknown>;

/** A manifest that is ready to be run. None of its parts may be changed: they may be shared. */
export interface ResolvedManifest {
  readonly version: string;
  readonly check: Component | undefined;
  readonly spec: Component | undefined;
  /** As they stand in the manifest: `ConditionalStreams` among them hold others. */
  readonly streams: readonly Component[];
  readonly dynamicStreams: readonly Component[];
  /** The whole, resolved, but for `definitions` and `schemas`. */
  readonly source: Component;
  /** The manifest as it was read, with its references. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Reads a manifest in YAML or JSON; throws an OutsideError of the kind `config` that says where it is wrong. */
export function readManifest(text: string): ResolvedManifest {
  const value = parseYaml(text);
  if (!isMap(value))
    throw refused('it is no map with members such as "streams"', 'A manifest begins with lines such as "version: 6.0.0" and "streams:".');
  const { definitions: _definitions, schemas: _schemas, ...rest } = resolveReferences({ type: 'DeclarativeSource', ...value });
  const source = propagate(rest) as Component;
  refuseUnknownTypes(source, text);
  return {
    version: typeof source.version === 'string' ? source.version : '0.0.0',
    check: componentAt(source, 'check'),
    spec: componentAt(source, 'spec'),
    streams: componentsAt(source, 'streams'),
    dynamicStreams: componentsAt(source, 'dynamic_streams'),
    source,
    raw: value,
  };
}

function componentAt(source: Component, name: string): Component | undefined {
  const found = source[name];
  if (found === undefined || found === null) return undefined;
  if (!isMap(found)) throw refused(`"${name}" is no map`, `Correct "${name}" of the manifest.`);
  return found as Component;
}

function componentsAt(source: Component, name: string): Component[] {
  const found = source[name] ?? [];
  if (!Array.isArray(found)) throw refused(`"${name}" is no list`, `Write "${name}:" and then a line with "- " for each.`);
  found.forEach((item, i) => {
    if (!isMap(item)) throw refused(`${name}/${i} is no map`, 'A stream has members such as "name" and "retriever".');
  });
  return found as Component[];
}

function refused(reason: string, hint: string): OutsideError {
  return new OutsideError('config', 'MANIFEST_INVALID', `The manifest cannot be used: ${reason}.`, { field: 'manifest', hint });
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
