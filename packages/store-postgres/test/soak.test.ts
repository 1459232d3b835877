// A short one with every change; `npm run stress` runs it for five minutes.
import { soak } from '@helix-agents/test-processes';
import { describeServer } from '@helix-agents/test-servers';
import { expect, it } from 'vitest';

describeServer('postgres', () => {
  it('two servers on Postgres lose no answer while servers, database and connections are killed', async () => {
    const module = new URL('./stores.ts', import.meta.url).href;
    const { counts, faults } = await soak({
      addressOf: (url) => ({ module, args: [url, 'listen'] }),
      seconds: 10,
      sessions: 6,
      seed: 1,
    });
    expect(faults).toEqual([]);
    expect(counts.sessions).toBe(8);
  });
});
