import { manifests } from '../connectors/registry.ts';
import type { TSchema } from '../lib/schema.ts';
import { DEFAULTS, ENTRIES, SECTIONS, type Section } from './document.ts';

// The schema of documents for editors and other tools, which check and complete by it. What is told of references and names is told by `syncline lint`.

const ABOUT: Readonly<Record<Section, string>> = {
  sources: 'Systems that are read or written, each by its name.',
  hooks: 'Addresses that other systems call, each by its name.',
  syncs: 'What is kept in sync, each by its name.',
  webhooks: 'Endpoints that events are posted to, each by its name.',
  alerts: 'Who is told when something goes wrong, each by its name.',
  keys: 'What keys may do, each by its name. The keys themselves are shown when they are made.',
};

export function configJsonSchema(): object {
  const sections = SECTIONS.map((section) => [
    section,
    {
      type: ['object', 'null'],
      description: ABOUT[section],
      additionalProperties: section === 'sources' ? sourceSchema() : plain(ENTRIES[section]),
    },
  ]);
  const defaults = Object.entries(DEFAULTS).map(([name, schema]) => [name, plain(schema)]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of Syncline',
    type: 'object',
    additionalProperties: false,
    properties: {
      version: { const: 1, description: 'The version of this format.' },
      defaults: {
        type: ['object', 'null'],
        description: 'What entries have that say nothing else.',
        additionalProperties: false,
        properties: Object.fromEntries(defaults),
      },
      ...Object.fromEntries(sections),
    },
  };
}

/** What a source has is told by its type. */
function sourceSchema(): object {
  return {
    type: 'object',
    required: ['type', 'config'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: manifests.map(({ type }) => type), description: 'A connector.' },
      config: { type: 'object', description: 'What the connector needs. Secrets are references, such as ${env:SHOP_PASSWORD}.' },
    },
    allOf: manifests.map(({ type, title, description, config }) => ({
      if: { properties: { type: { const: type } }, required: ['type'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      then: { properties: { config: { title, description, ...plain(config) } } },
    })),
  };
}

/** Without words of our own, which other tools do not know. */
function plain(schema: TSchema): Record<string, unknown> {
  const { properties, items, anyOf, oneOf, ...rest } = schema;
  const own = Object.fromEntries(Object.entries(rest).filter(([word]) => !word.startsWith('x-')));
  return {
    ...own,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, plain(member)])) }),
    ...(items && { items: plain(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => plain(one)) }),
    ...(oneOf && { oneOf: oneOf.map((one) => plain(one)) }),
  };
}
