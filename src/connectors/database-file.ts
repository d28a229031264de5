import { Type } from '../lib/schema.ts';

/** What all databases that are one file on this machine are told: where it is, and whether it may be made. */
export const DatabaseFile = {
  path: Type.String({
    title: 'File',
    description:
      'The path of the database file. A relative one begins at the first of the folders that Syncline may touch (SYNCLINE_FILE_ROOTS).',
    minLength: 1,
    maxLength: 4096,
  }),
  create: Type.Boolean({
    title: 'Create when missing',
    description: 'Makes the file when something is written to it and it is not there yet. Reading never makes a file.',
    default: true,
  }),
};
