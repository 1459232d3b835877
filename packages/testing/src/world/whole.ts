/**
 * `npm run stress` sets TEST_WHOLE=1: suites that take a share of their trials in `npm test` take all of them. Every kind of
 * trial is in the share, on every store.
 */
export const WHOLE: boolean = process.env['TEST_WHOLE'] === '1';

/** A test that takes longer hangs. No result depends on it, also not on a slow machine. */
export const HANGS_AFTER_MS = 600_000;
