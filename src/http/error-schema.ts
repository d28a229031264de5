import { statusOf } from '../lib/errors.ts';
import { Type } from '../lib/schema.ts';
import { Named, OneOf, Strict } from './schemas.ts';

const Fault = Named('Fault', {
  field: Type.String({ description: 'A path such as `items[0].quantity`.' }),
  reason: Type.String({ description: 'What is wrong with it.' }),
});

const ErrorDetails = Named('ErrorDetails', {
  field: Type.Optional(Type.String({ description: 'The first field at fault, as a path such as `items[0].quantity`.' })),
  reason: Type.Optional(Type.String({ description: 'What is wrong with it.' })),
  errors: Type.Optional(Type.Array(Fault, { description: 'Every fault that was found.' })),
  line: Type.Optional(Type.Integer({ description: 'Of a body, or a line of many, that cannot be read: its line, from 1.' })),
  position: Type.Optional(Type.Integer({ description: 'The character in that line, from 1.' })),
  lines: Type.Optional(
    Type.Array(
      Strict({
        index: Type.Integer({ description: 'The place of the line in the order, from 0.' }),
        product_id: Type.String(),
        wanted: Type.Integer({ description: 'What all lines of this product want together.' }),
        available: Type.Integer({ description: 'What there is.' }),
      }),
      { description: 'Of `OUT_OF_STOCK`: the lines that there is too little for.' },
    ),
  ),
  run_id: Type.Optional(Type.String({ description: 'Of `CONFLICT`: the run that is under way, and stands in the way.' })),
});

/** What went wrong: in an answer, or with one entry of a batch. */
export const Failure = Named('Failure', {
  code: OneOf(Object.keys(statusOf), { description: 'Later versions of v1 may add codes.' }),
  message: Type.String({ description: 'For people. Act on `code`.' }),
  details: ErrorDetails,
});

/** The body of every answer that is no success. */
export const ErrorAnswer = Named('Error', { success: Type.Literal(false), error: Failure });
