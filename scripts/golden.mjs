// `npm run golden`: keeps today's format of every store as a fixture, if it is not kept yet. Commit what it writes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/kept.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, HELIX_MAKE_GOLDEN: '1' },
});
process.exitCode = status ?? 1;
