/** `book_flight` as people say it. */
export function humanName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An input in a line; numbers with what they count. */
export function summaryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.entries(input)
    .map(([name, value]) => (typeof value === 'number' ? `${name} ${value}` : plain(value)))
    .join(' · ');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
