import type { NotificationData } from '@mantine/notifications';

// Loaded when there is first something to say: most visits to the overview have nothing.
const listeners = new Set<() => void>();
let used = false;

/** Whether anything has been said yet, for the place where notifications appear. */
export const notices = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  used: (): boolean => used,
};

/** Says that something was done. It goes away by itself. */
export function notifyDone(message: string): void {
  void show({ message, color: 'teal', autoClose: 5_000 });
}

/** Says that something did not work. It stays until it was read. */
export function notifyFailed(message: string): void {
  void show({ title: 'That did not work', message, color: 'red', autoClose: false });
}

async function show(notification: NotificationData): Promise<void> {
  const { notifications } = await import('@mantine/notifications');
  notifications.show({ ...notification, closeButtonProps: { 'aria-label': 'Dismiss' } });
  used = true;
  for (const listener of listeners) listener();
}
