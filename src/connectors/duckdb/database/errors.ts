import { OutsideError } from '../../../outside/errors.ts';

const HINTS = {
  locked: 'DuckDB lets one process at a time write to a file. It is tried again; or end the program that has it open.',
  damaged:
    'Restore it from a copy, together with the file of the same name that ends with ".wal", if there is one in the copy; if there is none, remove it.',
  fault:
    'This is a fault of DuckDB. It is tried again with the file opened anew; if that does not help, look whether the DuckDB command line can read the file.',
};

/** What a failure of DuckDB means, in words. `path` is the file as the user named it. */
export function duckdbError(error: unknown, path: string): OutsideError {
  if (error instanceof OutsideError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const make = (kind: OutsideError['kind'], code: string, words: string, hint?: string): OutsideError =>
    new OutsideError(kind, code, words, { ...(hint !== undefined && { hint }), cause: error });
  if (/Could not set lock|Conflicting lock|different configuration/.test(message))
    return make('transient', 'LOCKED', `"${path}" is open in another program, or in another run.`, HINTS.locked);
  if (/not a valid DuckDB database file|serialized version|storage version/i.test(message))
    return make(
      'config',
      'NOT_A_DATABASE',
      `"${path}" is not a database that this version of DuckDB can read.`,
      'Name the file of a DuckDB database; one of a newer DuckDB has to be exported.',
    );
  if (/Corrupt|checksum|replaying WAL/i.test(message))
    return make('config', 'CORRUPT', `"${path}" is damaged: ${firstLine(message)}`, HINTS.damaged);
  // Not every fault of DuckDB has damaged something.
  if (/^(Fatal|INTERNAL) Error/i.test(message)) return make('transient', 'DUCKDB_FAILED', `"${path}": ${firstLine(message)}`, HINTS.fault);
  if (/^Permission Error|Permission denied|read-only/i.test(message))
    return /file system operations are disabled|configuration has been locked/.test(message)
      ? make(
          'config',
          'VIEW_REFUSED',
          `A view in "${path}" asks for something outside of the file, which Syncline does not run.`,
          'Read tables of the file itself.',
        )
      : make(
          'auth',
          'FILE_FORBIDDEN',
          `"${path}" cannot be opened.`,
          'Check the rights of the user that runs Syncline to the file and its folder.',
        );
  if (/No space left/i.test(message)) return make('transient', 'DISK_FULL', `The disk of "${path}" is full.`);
  if (/^Out of Memory/i.test(message))
    return make('transient', 'MEMORY_SHORT', `DuckDB needs more memory for "${path}" than it may take.`, 'Raise memory_mb of the source.');
  if (message.startsWith('Constraint Error'))
    return make('data', 'REFUSED', `The table refuses it: ${firstLine(message).replace(/key "[^"]*"/, 'the key')}`);
  if (/^TransactionContext Error.*Conflict/i.test(message))
    return make('transient', 'CONFLICT', `Another writer has changed "${path}" at this moment.`);
  if (/^(Catalog|Binder) Error/.test(message)) return make('config', 'SQL_REFUSED', `"${path}": ${firstLine(message)}`);
  if (/^INTERRUPT/i.test(message)) return make('transient', 'ABORTED', 'The work was stopped.');
  return make('transient', 'DUCKDB_FAILED', `"${path}": ${firstLine(message)}`);
}

/** DuckDB shows the statement behind it, with values in it. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/^\w+ Error: /, '').slice(0, 300);
}
