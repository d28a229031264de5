import { Named, OneOf, TimeInput } from '../http/schemas.ts';
import { SCOPES } from '../http/scopes.ts';
import { Type } from '../lib/schema.ts';

export const NewKeyBody = Named('NewKey', {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' }),
  scopes: Type.Array(OneOf(SCOPES), {
    minItems: 1,
    maxItems: SCOPES.length,
    uniqueItems: true,
    description: 'What it may do. `admin` may do everything.',
  }),
  expires_at: Type.Optional(TimeInput('From when it is refused; never, when left out.', '2027-01-31T00:00:00Z')),
  rate_limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Requests a second on each node; 0 means no limit.' }),
  ),
});
