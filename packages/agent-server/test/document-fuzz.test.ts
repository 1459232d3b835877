// If this fails: the OpenAPI document says something that the server does not do.
import { expect, it } from 'vitest';
import { runDocumentFuzz } from './document-fuzz.ts';

it('answers what the document says, to what it describes and to what it does not', async () => {
  const { statuses, fault } = await runDocumentFuzz({ seed: 20261116, runsPerOperation: 120 });
  expect(fault).toBeNull();
  for (const status of [200, 400, 404, 409]) {
    expect(statuses.get(status), String(status)).toBeGreaterThan(5);
  }
}, 300_000);
