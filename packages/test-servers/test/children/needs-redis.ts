// A test file whose server cannot be had, or was switched off.
import { expect, it } from 'vitest';
import { describeServer } from '../../src/describe-server.ts';

describeServer('redis', () => {
  it('needs a server', () => expect(true).toBe(true));
});
