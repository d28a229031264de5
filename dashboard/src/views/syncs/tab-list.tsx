import { Tabs } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

/** Tabs on one line. Where there is no room for all of them, the one that is open is in sight. */
export function TabList({ open, children }: { open: string; children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`[role="tab"][data-active]`);
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.clientWidth) / 2;
  }, [open]);
  return (
    <Tabs.List mb="md" className="tabs-in-line" ref={list}>
      {children}
    </Tabs.List>
  );
}
