import { keyFault } from '../client/auth/jwt.ts';
import type { Auth } from './auth.ts';
import { SIGNED_PARTS } from './signing.ts';
import { headerFaults, isObjectText, pathFaults, type ReportFault, urlFaults, valueFaults } from './value-faults.ts';

/** What the schema cannot tell about the credentials. */
export function authFaults(auth: Auth, fault: ReportFault): void {
  switch (auth.type) {
    case 'none':
    case 'query':
      return;
    case 'header':
      headerFaults('auth.name', auth.name, fault);
      valueFaults('auth.value', auth.value, fault);
      return;
    case 'bearer':
      if (!/^[\x21-\x7e]+$/.test(auth.token)) fault('auth.token', 'must not contain spaces or line breaks');
      return;
    case 'basic':
      if (/[:\p{Cc}]/u.test(auth.username)) fault('auth.username', 'must not contain a colon');
      return;
    case 'oauth2_client_credentials':
    case 'oauth2_refresh_token':
      urlFaults('auth.token_url', auth.token_url, fault);
      return;
    case 'oauth2_jwt_bearer':
      jwtFaults(auth, fault);
      return;
    case 'login':
      loginFaults(auth, fault);
      return;
    case 'aws_sigv4':
      for (const name of ['access_key_id', 'region', 'service'] as const)
        if (!/^[\x21-\x7e]+$/.test(auth[name]) || auth[name].includes('/')) fault(`auth.${name}`, 'must not contain spaces or slashes');
      if (auth.session_token !== undefined) valueFaults('auth.session_token', auth.session_token, fault);
      return;
    case 'hmac':
      hmacFaults(auth, fault);
  }
}

function jwtFaults(auth: Extract<Auth, { type: 'oauth2_jwt_bearer' }>, fault: ReportFault): void {
  if (auth.token_url !== undefined) urlFaults('auth.token_url', auth.token_url, fault);
  const wrong = keyFault(auth.private_key, auth.algorithm);
  if (wrong !== undefined) fault('auth.private_key', wrong);
  if (auth.claims !== undefined && !isObjectText(auth.claims)) fault('auth.claims', 'must be a JSON object');
}

function loginFaults(auth: Extract<Auth, { type: 'login' }>, fault: ReportFault): void {
  const { url, method, format, body, token, token_header, cookies, send_in, name, scheme } = auth;
  if (url.startsWith('/')) pathFaults('auth.url', url, fault);
  else urlFaults('auth.url', url, fault);
  if (/[{}]/.test(url)) fault('auth.url', 'must not contain braces');
  if (method === 'GET' && format !== 'query') fault('auth.format', 'must be query for the method GET, which has no body');
  if (body !== undefined && format !== 'json') fault('auth.body', 'is only for the format json');
  else if (body !== undefined && !isObjectText(body)) fault('auth.body', 'must be a JSON object');
  if (token !== undefined && token_header !== undefined) fault('auth.token_header', 'is given instead of `token`, not beside it');
  if (token === undefined && token_header === undefined && !cookies)
    fault('auth.token', 'must be given, or `token_header`, or `cookies`: something has to tell the API who we are');
  if (token_header !== undefined) headerFaults('auth.token_header', token_header, fault);
  if (send_in === 'header') {
    headerFaults('auth.name', name, fault);
    valueFaults('auth.scheme', scheme, fault);
  }
  if (send_in === 'cookie' && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) fault('auth.name', 'is not the name of a cookie');
}

function hmacFaults(auth: Extract<Auth, { type: 'hmac' }>, fault: ReportFault): void {
  const known: readonly string[] = SIGNED_PARTS;
  const strange = (text: string, more: readonly string[]): string | undefined =>
    [...text.matchAll(/\{([^{}]*)\}/g)].map(([, part = '']) => part).find((part) => !known.includes(part) && !more.includes(part));
  const unknown = strange(auth.message, []);
  if (unknown !== undefined) fault('auth.message', `has {${unknown}}, which is none of: ${known.join(', ')}`);
  auth.headers.forEach(({ name, value }, i) => {
    headerFaults(`auth.headers[${i}].name`, name, fault);
    valueFaults(`auth.headers[${i}].value`, value, fault);
    const other = strange(value, ['signature']);
    if (other !== undefined) fault(`auth.headers[${i}].value`, `has {${other}}, which is none of: signature, ${known.join(', ')}`);
    if (/\{(body|message)\}/.test(value)) fault(`auth.headers[${i}].value`, 'must not hold the body: a header cannot');
  });
  if (!auth.headers.some(({ value }) => value.includes('{signature}')))
    fault('auth.headers', 'must hold {signature} in one of their values');
  if (auth.secret_format === 'hex' && !/^([0-9a-f]{2})+$/i.test(auth.secret))
    fault('auth.secret', 'must be hexadecimal digits, or set secret_format');
  if (auth.secret_format === 'base64' && !/^[A-Za-z0-9+/]+={0,2}$/.test(auth.secret))
    fault('auth.secret', 'must be Base64, or set secret_format');
}
