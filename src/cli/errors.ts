/** A failure that the user of the command line can read and act on. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was not called as it must be: the message is followed by how to call it. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(message, 2);
  }
}
