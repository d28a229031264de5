import { useState } from 'react';
import { useLocation } from 'wouter';

/** Leads on once something is done, unless the user has gone elsewhere meanwhile: an answer that comes late takes nobody away from what they do by then. */
export function useGoOn(): (href: string, options?: { replace?: boolean }) => void {
  const [, navigate] = useLocation();
  const [here] = useState(() => location.pathname);
  return (href, options) => {
    if (location.pathname === here) navigate(href, options);
  };
}
