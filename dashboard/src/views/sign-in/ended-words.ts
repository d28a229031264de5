/** Why a sign-in at the issuer has ended without one, and what to do now. */
const WORDS: Record<string, (issuer: string) => string> = {
  cancelled: (issuer) => `You have not signed in: it was cancelled at ${issuer}, or ${issuer} does not let you in here.`,
  stale: () =>
    'This sign-in could not be finished: it took longer than ten minutes, was used already, or was begun in another browser or tab. Please sign in again.',
  refused: (issuer) => `What ${issuer} answered could not be trusted, so you are not signed in. Try again; if it stays, tell the operator.`,
  no_access: (issuer) => `${issuer} knows you, but gives you no rights here. Ask the operator for access.`,
  unavailable: (issuer) =>
    `${issuer} cannot be reached or does not answer as it should. Try again in a moment, or sign in with an API key.`,
  busy: () => 'Too many people are signing in at this moment. Try again in a few seconds.',
  failed: () => 'Something went wrong on our side. Try again, or sign in with an API key.',
};

export function endedWords({ outcome, request }: { outcome: string; request: string }, issuer: string): string {
  const words = Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : WORDS['failed'];
  return `${words?.(issuer)}${request === '' ? '' : ` Request id: ${request}.`}`;
}
