/** What became of a sign-in at the issuer. The page has words for each of them but the first. */
export type SignInOutcome = 'done' | 'cancelled' | 'stale' | 'refused' | 'no_access' | 'unavailable' | 'busy' | 'failed';

/** A sign-in that ends without a session. The message is for the operator's log. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault';
  readonly outcome: Exclude<SignInOutcome, 'done'>;

  constructor(outcome: Exclude<SignInOutcome, 'done'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}
