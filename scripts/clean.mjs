// Removes every build output.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

for (const directory of globSync('{packages,examples}/*/dist', { cwd: root })) {
  rmSync(join(root, directory), { recursive: true, force: true });
}
