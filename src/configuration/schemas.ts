import { JsonText, Named, Nullable, OneOf, Strict } from '../http/schemas.ts';
import { type Static, Type } from '../lib/schema.ts';
import { SECTIONS } from './document.ts';

const AnyObject = (description: string) => Type.Object({}, { additionalProperties: true, description });

const ConfigDocumentBody = AnyObject(
  'Sources, synchronizations and so on, each by its name; `/config.schema.json` is the schema. References such as `${env:NAME}` have been resolved by the caller.',
);
const Prune = Type.Boolean({
  description: 'Whether what the sections of the document do not name is deleted. A section that is not there is left alone.',
});
const State = AnyObject(
  'How far synchronizations have come elsewhere, by name, as the export has it: those that are new here go on from there.',
);

export const PlanWishBody = Named('ConfigurationToPlan', {
  document: ConfigDocumentBody,
  prune: Type.Optional(Prune),
  state: Type.Optional(State),
});
export const ApplyWishBody = Named('ConfigurationToApply', {
  document: ConfigDocumentBody,
  prune: Type.Optional(Prune),
  state: Type.Optional(State),
  digest: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Of the plan that was looked at: when it is no longer true, nothing is applied (409).',
    }),
  ),
});
export type ApplyWishBody = Static<typeof ApplyWishBody>;

const Change = Named('ConfigurationChange', {
  section: OneOf(SECTIONS),
  name: Type.String(),
  action: OneOf(['create', 'update', 'delete']),
  fields: Type.Array(
    Strict({
      field: Type.String({ examples: ['streams[public.customers].mode'] }),
      before: JsonText(Type.Unknown({ description: 'Null when there is none. Secrets are never shown.' })),
      after: JsonText(Type.Unknown({ description: 'Null when there is none.' })),
    }),
  ),
  effects: Type.Array(Type.String(), { description: 'What it means for the data, in sentences.' }),
});

export const PlanSchema = Named('ConfigurationPlan', {
  changes: Type.Array(Change, { description: 'Empty when everything is as the document says.' }),
  warnings: Type.Array(Type.String()),
  digest: Type.String({ description: 'Send it along when you apply: then nothing else than this is done.' }),
});

export const AppliedSchema = Named('AppliedConfiguration', {
  changes: Type.Array(Change, { description: 'What was changed, in one transaction.' }),
  warnings: Type.Array(Type.String()),
  made: Type.Array(
    Strict({
      section: OneOf(SECTIONS),
      name: Type.String(),
      secret: Nullable(Type.String({ description: 'What messages are signed with.' })),
      url: Nullable(Type.String({ description: 'The address of a hook.' })),
      key: Nullable(Type.String({ description: 'The key itself.' })),
    }),
    { description: 'What is shown this once and cannot be shown again.' },
  ),
});

const Variables = Type.Array(Strict({ name: Type.String({ examples: ['SHOP_DATABASE_PASSWORD'] }), field: Type.String() }), {
  description: 'The variables that have to be set before it can be applied elsewhere.',
});
export const WrittenSchema = Named('WrittenConfiguration', {
  yaml: Type.String({ description: 'The text of a file.' }),
  variables: Variables,
});

export const ExportSchema = Named('ExportedConfiguration', {
  document: JsonText(AnyObject('What there is, with references in the place of secrets.')),
  variables: Variables,
  left_out: Type.Array(OneOf(SECTIONS), { description: 'Sections that this key may not read.' }),
  state: Nullable(JsonText(AnyObject('The positions of synchronizations by name, when they were asked for.'))),
});

const EXAMPLE_DOCUMENT = {
  version: 1,
  keys: { 'web shop': { scopes: ['orders:write', 'products:read'] } },
};
export const EXAMPLE_PLAN_WISH = { document: EXAMPLE_DOCUMENT };
const EXAMPLE_CHANGE = {
  section: 'keys',
  name: 'web shop',
  action: 'update',
  fields: [{ field: 'scopes', before: ['orders:write'], after: ['orders:write', 'products:read'] }],
  effects: [],
};
export const EXAMPLE_PLAN = { changes: [EXAMPLE_CHANGE], warnings: [], digest: '6gCjpmn8cVQFQ7hFyXHrF9zkbU4JgUdaCgK4ocvSHVQ' };
export const EXAMPLE_APPLIED = { changes: [EXAMPLE_CHANGE], warnings: [], made: [] };
export const EXAMPLE_EXPORT = { document: EXAMPLE_DOCUMENT, variables: [], left_out: [], state: null };
export const EXAMPLE_WRITTEN = {
  yaml: 'version: 1\nsources:\n  shop database:\n    type: postgres\n    config:\n      host: db.example.com\n      password: ${env:SHOP_DATABASE_PASSWORD}\n',
  variables: [{ name: 'SHOP_DATABASE_PASSWORD', field: 'sources.shop database.config.password' }],
};
