import { awsEscaped, awsSigned, canonicalQuery } from '../../../../outside/http/aws-signature.ts';
import type { AwsAuth } from '../../config/signing.ts';
import type { Unsigned } from './ways.ts';

/** Signs a request as AWS wants it (Signature Version 4): adds the headers. */
export function signAws({ method, url, headers, body }: Unsigned, auth: AwsAuth, now: Date): void {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken, region, service } = auth;
  // What is sent is escaped as it is signed: what the address would write otherwise, such as a plus for a space, the service may read otherwise.
  url.search = canonicalQuery(url);
  // Others may be changed on the way.
  const fixed = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-') || name === 'content-type');
  const request = { method, url, headers: Object.fromEntries(fixed), body: body ?? undefined, path: pathOf(url, service) };
  Object.assign(headers, awsSigned(request, { accessKeyId, secretAccessKey, sessionToken }, { region, service }, now));
}

/** Every service but S3 has the steps of the path escaped once more than they are sent. */
function pathOf({ pathname }: URL, service: string): string {
  const sent = pathname.split('/').map((step) => awsEscaped(safelyDecoded(step)));
  return (service === 's3' ? sent : sent.map(awsEscaped)).join('/');
}

function safelyDecoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
