/** `book_flight` as people say it. */
export function humanName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The values of an input, in a line. */
export function summaryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return String(input ?? '');
  return Object.values(input)
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
    .join(' · ');
}
