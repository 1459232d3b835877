// `npm run golden`: writes a fixture of today's format of every store, if there is none yet. Commit what it writes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/golden.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, HELIX_MAKE_GOLDEN: '1' },
});
process.exitCode = status ?? 1;
