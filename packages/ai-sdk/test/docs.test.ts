// If this fails: a page shows a component that does not compile.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('shows components that compile', () => {
  mkdirSync(join(root, '.helix'), { recursive: true });
  // Inside the repository, so that packages are found.
  const folder = mkdtempSync(join(root, '.helix', 'chat-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
  const config = {
    extends: '../../examples/chat/tsconfig.json',
    compilerOptions,
    include: ['*.tsx'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  let blocks = 0;
  for (const page of globSync(['docs/guides/{auth,chat*}.md', 'packages/ai-sdk/README.md'], {
    cwd: root,
  })) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, code = ''] of text.matchAll(/^```tsx\n(.*?)^```$/gms)) {
      blocks += 1;
      writeFileSync(join(folder, `${basename(page, '.md')}-${blocks}.tsx`), code);
    }
  }
  expect(blocks).toBeGreaterThan(5);
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = spawnSync(tsc, ['--project', folder], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
});
