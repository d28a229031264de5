import type { Hook } from '../../api/resources.ts';
import { MASK } from '../../parts/form/mask.ts';
import { SCHEMES } from './schemes.ts';

/** A hook as it is being written. */
export interface HookDraft {
  name: string;
  scheme: Hook['scheme'];
  /** The mask stands for one that is stored. */
  secret: string | undefined;
  /** Where a shared secret is sent. */
  header: string;
  /** Empty: it starts none. */
  syncId: string;
}

const HEADER = 'X-Hook-Secret';

export const EMPTY: HookDraft = { name: '', scheme: 'standard', secret: undefined, header: HEADER, syncId: '' };

export function draftOf({ name, scheme, secret, header, sync_id }: Hook): HookDraft {
  return { name, scheme, secret: secret ?? undefined, header: header ?? HEADER, syncId: sync_id ?? '' };
}

/** What may be kept of it in this tab. */
export function withoutSecret(draft: HookDraft): HookDraft {
  return { ...draft, secret: draft.secret === MASK ? MASK : undefined };
}

export function hookInput({ name, scheme, secret, header, syncId }: HookDraft) {
  return {
    name: name.trim(),
    scheme,
    ...(SCHEMES[scheme].secret !== undefined && secret !== undefined && { secret }),
    ...(scheme === 'secret' && { header: header.trim() }),
    sync_id: syncId === '' ? null : syncId,
  };
}

/** Whether the sender shows its secret only once it has the address: until it is entered, there is one that nobody knows. */
export function awaitsSecret({ scheme, secret }: HookDraft): boolean {
  return SCHEMES[scheme].from === 'sender' && secret === undefined;
}

/** Text that nobody can guess. */
export function unknownSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What is mandatory and empty. */
export function missingIn({ name, scheme, header }: HookDraft): string[] {
  return [...(name.trim() === '' ? ['name'] : []), ...(scheme === 'secret' && header.trim() === '' ? ['header'] : [])];
}

/** The names that the form has for its fields. */
export function hookPlace(path: string): string {
  return { name: 'Name', scheme: 'Sender', secret: 'Secret', header: 'Header', sync_id: 'Synchronization' }[path] ?? path;
}
