/** For `ref`: brings what the user was led to into sight, with the focus on it. */
export function showPlace(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'center' });
  element?.focus({ preventScroll: true });
}
