/** Text that comes from a book or from the service, for a terminal: nothing in it moves the cursor, or does worse. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '\uFFFD');
}
