import { notifications } from '@mantine/notifications';

/** Says that something was done. It goes away by itself. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: 5_000 });
}

/** Says that something did not work. It stays until it was read. */
export function notifyFailed(message: string): void {
  notifications.show({ title: 'That did not work', message, color: 'red', autoClose: false });
}
