/** How long the provider asked to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfterMs(headers: unknown, now: number): number | undefined {
  const exact = Number.parseFloat(header(headers, 'retry-after-ms') ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const asked = header(headers, 'retry-after')?.trim();
  if (!asked) return undefined;
  if (/^\d+(\.\d+)?$/.test(asked)) return Math.ceil(Number(asked) * 1000);
  const date = /^[a-z]/i.test(asked) ? Date.parse(asked) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : undefined;
}
