import { HelixError } from './helix-error.ts';

const OUTAGES: ReadonlySet<string> = new Set(['store_unavailable', 'store_busy']);

/** The code of a store that does not work for now. Nothing that happened to a run, so no run fails because of it. */
export function isOutageCode(code: string): boolean {
  return OUTAGES.has(code);
}

export function isStoreOutage(error: unknown): boolean {
  return HelixError.isInstance(error) && isOutageCode(error.code);
}
