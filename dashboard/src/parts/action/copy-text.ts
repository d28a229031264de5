/** Puts text into the clipboard; answers whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  // Browsers offer the clipboard to pages of https and of this machine only; a Syncline in the next room may be neither.
  if ('clipboard' in navigator) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'only-heard';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}
