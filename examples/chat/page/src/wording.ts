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

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function dateOf(value: string): string {
  const format = { dateStyle: 'medium', timeZone: 'UTC' } as const;
  return new Date(`${value}T00:00:00Z`).toLocaleDateString('en', format);
}

/** A value with what it counts. */
export function valueOf(name: string, value: unknown): string {
  if (typeof value === 'string') return DATE.test(value) ? dateOf(value) : value;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map((one) => valueOf('', one)).join(', ') || 'None';
  if (typeof value === 'object' && value !== null) return summaryOf(value);
  if (typeof value !== 'number') return 'None';
  if (name === 'price' || name === 'total') return EUROS.format(value);
  if (name === 'perNight') return `${EUROS.format(value)} a night`;
  return `${value} ${value === 1 ? name.replace(/s$/, '') : name}`.trim();
}

/** An input in a line. */
export function summaryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  return Object.entries(input)
    .map(([name, value]) =>
      typeof value === 'boolean' ? (value ? humanName(name) : '') : valueOf(name, value),
    )
    .filter((text) => text !== '' && text !== 'None')
    .join(' · ');
}

/** The properties of an input, each as a line of text. */
export function detailsOf(
  input: unknown,
): readonly { readonly name: string; readonly text: string }[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).map(([name, value]) => ({ name, text: valueOf(name, value) }));
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
