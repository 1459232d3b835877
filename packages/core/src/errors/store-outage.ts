import { HelixError } from './helix-error.ts';

const OUTAGES: ReadonlySet<string> = new Set(['store_unavailable', 'store_busy']);

/** The code of a store that is temporarily unavailable. It is not a failure of the run, so no run fails because of it. */
export function isOutageCode(code: string): boolean {
  return OUTAGES.has(code);
}

export function isStoreOutage(error: unknown): boolean {
  return HelixError.isInstance(error) && isOutageCode(error.code);
}
