import './side-drawer.css';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

interface SideDrawerProps {
  title: ReactNode;
  /** Pixels; on a narrow screen it takes all of the width. */
  size?: number;
  onClose: () => void;
  children: ReactNode;
}

/** Settings beside what they belong to: it comes from the right, and Escape closes it. Show it only while it is open. */
export function SideDrawer({ title, size = 820, onClose, children }: SideDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={size}
      // Within the form around it: a field that is at fault in here is found as one of the form.
      withinPortal={false}
      title={title}
      classNames={{ inner: 'side-drawer', content: 'side-drawer-content', header: 'side-drawer-content', title: 'side-drawer-title' }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  );
}
