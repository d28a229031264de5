import { call, send } from './client.ts';
import { ApiError } from './errors.ts';
import { signedIn, signedOut } from './session.ts';

/** Has the browser keep a cookie that stands for this key; the key itself is forgotten. */
export async function signIn(key: string): Promise<void> {
  await send('/api/v1/sessions', { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  signedIn();
}

/** The issuer that people can sign in at, and where that begins. */
export interface OidcWay {
  name: string;
  url: string;
}

/** Null where there is none, or nobody can say: a key is always a way. */
export async function oidcWay(): Promise<OidcWay | null> {
  try {
    const { data } = (await (await fetch('/sign-in/ways', { cache: 'no-store' })).json()) as { data: { oidc: OidcWay | null } };
    return data.oidc;
  } catch {
    return null;
  }
}

/** Ends the sign-in of this browser, or all of this key. Throws when the service cannot be told: then it goes on. */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  try {
    if (everywhere) await call('DELETE /api/v1/sessions', {});
    else await call('DELETE /api/v1/sessions/{id}', { params: { id: 'current' } });
  } catch (error) {
    // It was over already.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  signedOut();
}
