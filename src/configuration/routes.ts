import { CONFIG_BODY_LIMIT } from '../datasync/sources/schemas.ts';
import { HOOK_PATH } from '../datasync/hooks/door.ts';
import { type Route, route } from '../http/route.ts';
import { OneOf, Strict, Success } from '../http/schemas.ts';
import { Type } from '../lib/schema.ts';
import type { Plan, PlanWish } from './plan.ts';
import {
  AppliedSchema,
  type ApplyWishBody,
  ApplyWishBody as ApplyBody,
  EXAMPLE_APPLIED,
  EXAMPLE_EXPORT,
  EXAMPLE_PLAN,
  EXAMPLE_PLAN_WISH,
  ExportSchema,
  PlanSchema,
  PlanWishBody,
  EXAMPLE_WRITTEN,
  WrittenSchema,
} from './schemas.ts';
import type { ConfigurationService } from './service.ts';

const BASE = '/api/v1/datasync/config';
const TAG = 'Configuration';
const OWN_SCOPES = 'Each section takes the scope of its own routes: webhooks and alerts take `webhooks`, keys and `state` take `admin`.';

interface Options {
  configuration: ConfigurationService;
  publicUrl: string | undefined;
}

export function configurationRoutes({ configuration, publicUrl }: Options): Route[] {
  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Export the configuration',
      description: `Everything that there is as one document, which \`apply\` takes elsewhere. No secret is in it: references stand in their place. Sections that the key may not read are left out. With \`state\`, the positions of synchronizations too; then none may run. ${OWN_SCOPES}`,
      query: Strict({
        state: Type.Optional(OneOf(['true', 'false'], { default: 'false', description: 'Whether positions are asked for.' })),
      }),
      answer: Success(ExportSchema),
      errors: ['CONFLICT'],
      examples: { answer: { success: true, data: EXAMPLE_EXPORT } },
      handle: async ({ query, principal }) => {
        const { document, variables, leftOut, state } = await configuration.export(principal, query.state === 'true');
        const data = {
          document: JSON.stringify(document),
          variables: [...variables],
          left_out: [...leftOut],
          state: state && JSON.stringify(state),
        };
        return { success: true as const, data };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/sources/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Write a source as YAML',
      description:
        'As a file of the configuration has it, and as `syncline export` writes it. Secrets are not in it: references stand in their place.',
      params: Strict({ id: Type.String({ description: 'The id of the source.' }) }),
      answer: Success(WrittenSchema),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_WRITTEN } },
      handle: async ({ params }) => {
        const { yaml, variables } = await configuration.written({ section: 'sources', id: params.id });
        return { success: true as const, data: { yaml, variables: [...variables] } };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/syncs/{id}`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Write a synchronization as YAML',
      description:
        'As a file of the configuration has it, and as `syncline export` writes it; or as it would have been in another version.',
      params: Strict({ id: Type.String({ description: 'The id of the synchronization.' }) }),
      query: Strict({
        version: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'Which of its versions; the present one, when left out.',
          }),
        ),
      }),
      answer: Success(WrittenSchema),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_WRITTEN } },
      handle: async ({ params, query }) => {
        const { yaml, variables } = await configuration.written({ section: 'syncs', id: params.id, version: query.version });
        return { success: true as const, data: { yaml, variables: [...variables] } };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/plan`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Plan a configuration',
      description: `What it takes for everything to be as a document says: each change with its fields before and after, and what it means for the data. Nothing is changed. What is there already is known by its name. Every fault is named with its place. ${OWN_SCOPES}`,
      body: PlanWishBody,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(PlanSchema),
      errors: ['CONFLICT'],
      examples: { body: EXAMPLE_PLAN_WISH, answer: { success: true, data: EXAMPLE_PLAN } },
      handle: async ({ body, principal }) => {
        const plan = await configuration.plan(principal, wishOf(body));
        return { success: true as const, data: { ...shown(plan), digest: plan.digest } };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/apply`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Apply a configuration',
      description: `Makes everything as the document says, in one transaction: all of it, or nothing. What is there already is taken over by its name. Only with \`prune\` is something deleted; what runs, or what others need, is refused (409). ${OWN_SCOPES}`,
      body: ApplyBody,
      bodyLimit: CONFIG_BODY_LIMIT,
      answer: Success(AppliedSchema),
      errors: ['CONFLICT', 'IN_USE'],
      examples: { body: { ...EXAMPLE_PLAN_WISH, digest: EXAMPLE_PLAN.digest }, answer: { success: true, data: EXAMPLE_APPLIED } },
      handle: async ({ body, principal, request }) => {
        const { plan, made } = await configuration.apply(principal, { ...wishOf(body), digest: body.digest });
        const base = publicUrl ?? `${request.protocol}://${request.host}`;
        const once = made.map(({ section, name, secret, token, key }) => ({
          section,
          name,
          secret,
          url: token === null ? null : `${base}${HOOK_PATH}/${token}`,
          key,
        }));
        return { success: true as const, data: { ...shown(plan), made: once } };
      },
    }),
  ];
}

function wishOf({ document, prune = false, state }: ApplyWishBody): PlanWish {
  return { document, prune, ...(state !== undefined && { state }) };
}

function shown({ changes, warnings }: Plan) {
  return {
    changes: changes.map(({ fields, effects, ...change }) => ({
      ...change,
      fields: fields.map(({ field, before, after }) => ({
        field,
        before: JSON.stringify(before ?? null),
        after: JSON.stringify(after ?? null),
      })),
      effects: [...effects],
    })),
    warnings: [...warnings],
  };
}
