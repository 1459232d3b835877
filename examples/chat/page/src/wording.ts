/** `book_flight` as people say it. */
export function humanName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const EUROS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'EUR',
  maximumFractionDigits: 0,
});

/** A value with what it counts. */
export function valueOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  if (name === 'price' || name === 'total') return EUROS.format(value);
  if (name === 'perNight') return `${EUROS.format(value)} a night`;
  return `${value} ${value === 1 ? name.replace(/s$/, '') : name}`;
}

/** An input in a line. */
export function summaryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.entries(input)
    .map(([name, value]) => valueOf(name, value))
    .join(' · ');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** When it was, as people say it. */
export function timeAgo(timestamp: number, now: number): string {
  const seconds = (now - timestamp) / 1_000;
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? [];
  return unit && length ? AGO.format(-Math.round(seconds / length), unit) : 'just now';
}
