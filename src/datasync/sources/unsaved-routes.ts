import { manifests } from '../../connectors/registry.ts';
import { type Route, route } from '../../http/route.ts';
import { Nullable, Success } from '../../http/schemas.ts';
import { sentence } from '../../lib/sentence.ts';
import { EXAMPLE_MANIFEST } from './example-manifest.ts';
import { shownField } from './render.ts';
import {
  CheckResult,
  CONFIG_BODY_LIMIT,
  EXAMPLE_CHECK,
  EXAMPLE_NEW_SOURCE,
  EXAMPLE_OUTLINE,
  EXAMPLE_SAMPLE,
  Outline,
  Sample,
  UnsavedSample,
  UnsavedSource,
} from './schemas.ts';
import type { SourceService } from './service.ts';

const BASE = '/api/v1/datasync/sources';
const TAG = 'Sources';
const OUTLINED = manifests.filter(({ outlines }) => outlines).map(({ type }) => type);
const EXAMPLE_OUTLINED = { type: OUTLINED[0] ?? '', config: { manifest: EXAMPLE_MANIFEST, settings: { api_key: 'k-7f3' } } };

/** What is asked of configurations that are not saved. */
export function unsavedRoutes(sources: SourceService): Route[] {
  return [
    route({
      method: 'POST',
      path: `${BASE}/check`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Try a configuration before saving it',
      description:
        'Connects and says in plain words what is wrong. The answer is 200 whether it works or not: look at `ok`. Nothing is stored.',
      body: UnsavedSource,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(CheckResult),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { type: EXAMPLE_NEW_SOURCE.type, config: EXAMPLE_NEW_SOURCE.config },
        answer: { success: true, data: EXAMPLE_CHECK },
      },
      handle: async ({ body, principal }) => ({ success: true as const, data: await sources.tryOut(principal, body) }),
    }),
    route({
      method: 'POST',
      path: `${BASE}/outline`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Ask what a configuration tells by itself',
      description: `The form of its settings, the streams that can be read, and what the others lack. Nothing is connected to and nothing is stored. \`data\` is null for types whose configurations describe no streams; those of ${OUTLINED.join(', ')} do.`,
      body: UnsavedSource,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(Nullable(Outline)),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: EXAMPLE_OUTLINED, answer: { success: true, data: EXAMPLE_OUTLINE } },
      handle: async ({ body, principal }) => {
        const found = await sources.outline(principal, body);
        const data = found && {
          forms: Object.entries(found.forms).map(([member, schema]) => ({ member, schema: JSON.stringify(schema) })),
          streams: [...found.streams],
          is_partial: found.isPartial,
          unreadable: found.unreadable.map(({ name, needs, reason }) => ({ name, needs: [...needs], reason: sentence(capital(reason)) })),
        };
        return { success: true as const, data };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/sample`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Show some rows of a stream before saving the source',
      description: `For types whose configurations describe streams themselves (${OUTLINED.join(', ')}); others are saved first, and 409 here. Nothing is stored; that rows were shown is in the audit.`,
      body: UnsavedSample,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(Sample),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { body: { ...EXAMPLE_OUTLINED, stream: 'customers' }, answer: { success: true, data: EXAMPLE_SAMPLE } },
      handle: async ({ body: { stream, limit = 10, ...unsaved }, principal }) => {
        const { fields, ...sample } = await sources.sampleOf(principal, unsaved, stream, limit);
        principal.tellRead({
          action: 'source.sampled',
          objectId: unsaved.id ?? '',
          rows: sample.rows.length,
          details: { type: unsaved.type, stream },
        });
        return { success: true as const, data: { fields: fields.map(shownField), ...sample } };
      },
    }),
  ];
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
