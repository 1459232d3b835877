// If this fails: there is a request that breaks the server, hangs it, or shows it the session of somebody else.
import { expect, it } from 'vitest';
import { runFuzz } from './run-fuzz.ts';

const RUNS = 3_000;

it(`answers ${RUNS} odd requests, without a 5xx, a hang or another's canary`, async () => {
  const { statuses, fault } = await runFuzz({ seed: 20261116, runs: RUNS });
  expect(fault).toBeNull();
  // It got as far as every kind of answer.
  for (const status of [200, 400, 401, 403, 404, 405, 409, 415]) {
    expect(statuses.get(status), String(status)).toBeGreaterThan(5);
  }
}, 300_000);
