import { AppError } from '../lib/errors.ts';
import { sentences } from '../lib/sentence.ts';

/** What a program can tell one failure from another by. */
interface Told {
  code: string;
  details: object;
}

/** A failure that the user of the command line can read and act on. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: number;
  /** As the service has told it, or what it is called here. */
  readonly told: Told;

  constructor(message: string, exitCode = 1, { code, details }: Told = { code: 'FAILED', details: {} }) {
    super(message);
    this.exitCode = exitCode;
    this.told = { code, details };
  }
}

/** The command was not called as it must be: the message is followed by how to call it. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, 2, { code: 'USAGE', details: {} });
  }
}

/** What went wrong, for the operator. */
export function faultOf(error: Error): string {
  // What a caller of the API must not see, the operator must: why it is not available.
  const { cause } = error;
  return error instanceof AppError && cause instanceof Error ? sentences([error.message, `The reason: ${cause.message}`]) : error.message;
}
