/**
 * `npm run stress` sets TEST_WHOLE=1: suites that take a share of their trials in `npm test` take all of them. Every kind of
 * trial is in the share, on every store.
 */
export const WHOLE: boolean = process.env['TEST_WHOLE'] === '1';

/** How long a test may take before it is said to hang. Nothing depends on it: a slow machine is still right. */
export const HANGS_AFTER_MS = 600_000;
