import type { NotificationData } from '@mantine/notifications';
import { loadPatiently } from '../lazy-part.ts';

const listeners = new Set<() => void>();
let wanted = false;

/** Whether the place where notifications appear is wanted yet: a page has more urgent things to load. */
export const notices = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  wanted: (): boolean => wanted,
  want: (): void => {
    wanted = true;
    for (const listener of listeners) listener();
  },
};

/** Says that something was done. It goes away by itself. */
export function notifyDone(message: string): void {
  void show({ message, color: 'teal', autoClose: 5_000 });
}

/** Says of something that was done what is perhaps not meant. It stays until it was read. */
export function notifyDoubtful(message: string): void {
  void show({ title: 'Saved, but look at this', message, color: 'orange', autoClose: false });
}

/** Says that something did not work. It stays until it was read. */
export function notifyFailed(message: string): void {
  void show({ title: 'That did not work', message, color: 'red', autoClose: false });
}

async function show(notification: NotificationData): Promise<void> {
  notices.want();
  const { notifications } = await loadPatiently(() => import('@mantine/notifications'));
  notifications.show({ ...notification, closeButtonProps: { 'aria-label': 'Dismiss' } });
}
