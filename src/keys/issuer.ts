import { OutsideError } from '../outside/errors.ts';
import { readText } from '../outside/http/body.ts';
import { createHttpClient } from '../outside/http/client.ts';
import type { Answer } from '../outside/http/exchange.ts';
import { follow } from '../outside/http/redirects.ts';
import { explainWith } from '../outside/http/words.ts';
import { reachOf } from '../outside/reach.ts';

/** Milliseconds for one answer of the issuer, redirects included. */
export const ISSUER_TIMEOUT = 5_000;
const MAX_ANSWER = 1_000_000;
const FORM_TYPE = 'application/x-www-form-urlencoded';

interface IssuerAnswer {
  status: number;
  text: string;
}

/** Asks an OIDC issuer over HTTP. `follows`: goes where it leads. With a form it is posted, and nothing is followed. */
export type AskIssuer = (
  url: URL,
  how: { follows: boolean; headers?: Record<string, string>; form?: URLSearchParams },
) => Promise<IssuerAnswer>;

/** The operator chose the issuer, so SYNCLINE_NETWORKS, which is for connectors, does not narrow where it may be. */
export function issuerClient(): AskIssuer {
  const client = createHttpClient({
    reach: reachOf('any'),
    keepsConnections: false,
    unpacks: true,
    bounds: { timeout: ISSUER_TIMEOUT, total: ISSUER_TIMEOUT, bytes: MAX_ANSWER, bytesPerSecond: 0, pace: 'so far' },
    explain: explainWith({
      who: 'The OIDC issuer',
      address: 'SYNCLINE_OIDC_ISSUER',
      addressInWords: 'the URL of the issuer',
      authority: 'NODE_EXTRA_CA_CERTS',
      slowHint: 'Check that the issuer is well.',
      large: { field: 'SYNCLINE_OIDC_ISSUER', hint: 'Check the URL of the issuer.' },
    }),
  });
  return async (url, { follows, headers = {}, form }) => {
    if (!/^https?:$/.test(url.protocol)) throw new Error('The OIDC issuer names an address that is no web address.');
    const signal = AbortSignal.timeout(ISSUER_TIMEOUT);
    const sent = { accept: 'application/json', 'accept-encoding': 'gzip, br, zstd', 'user-agent': 'Syncline', ...headers };
    const posted = form && { method: 'POST', headers: { ...sent, 'content-type': FORM_TYPE }, body: Buffer.from(form.toString()) };
    const send = (to: URL): Promise<Answer> => client.send({ method: 'GET', headers: sent, ...posted, url: to }, signal);
    const refused = (): OutsideError =>
      new OutsideError('config', 'REDIRECT_REFUSED', 'The OIDC issuer leads to where nobody should follow.');
    try {
      const answer = follows && !form ? await follow({ method: 'GET', url, home: url.origin, send, refused }) : await send(url);
      return { status: answer.status, text: await readText(answer, MAX_ANSWER) };
    } catch (error) {
      throw signal.aborted ? new Error(`The OIDC issuer did not answer within ${ISSUER_TIMEOUT / 1000} s.`, { cause: error }) : error;
    }
  };
}
