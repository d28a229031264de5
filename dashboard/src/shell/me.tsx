import { createContext, type ReactNode, use } from 'react';
import type { Me, Scope } from '../api/resources.ts';

const MeContext = createContext<Me | undefined>(undefined);

export function MeProvider({ me, children }: { me: Me; children: ReactNode }) {
  return <MeContext value={me}>{children}</MeContext>;
}

/** Whose key this is. */
export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error('No key has signed in yet.');
  return me;
}

/** Asks whether the key has a scope. What it does not allow is hidden, or disabled with the reason. */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = useMe();
  return (scope) => scopes.includes('admin') || scopes.includes(scope);
}
