import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../src/limits.ts';
import { parseManifest } from '../src/manifest.ts';
import { openProject } from './project.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe.each(['docs/guides/skill-sources.md', 'packages/skill-cli/README.md'])('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('shows manifests that are valid', () => {
    const blocks = [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);
    expect(blocks).not.toEqual([]);
    for (const block of blocks) expect(() => parseManifest(block, page)).not.toThrow();
  });
});

describe('docs/guides/skill-sources.md', () => {
  const text = readFileSync(join(ROOT, 'docs/guides/skill-sources.md'), 'utf8');

  it('names the options of the command with their defaults, and its limits', async () => {
    const { stdout } = await openProject().sync('--help');
    const options = [...stdout.matchAll(/^ {2}(--\w+(?: <file>)?) .*?(?:\((.*)\))?$/gm)];
    expect(options).toHaveLength(4);
    for (const [, option = '', preset] of options) {
      expect(text).toContain(
        preset === undefined ? `| \`${option}\` |` : `| \`${option}\` | \`${preset}\``,
      );
    }
    for (const limit of Object.keys(DEFAULT_LIMITS)) expect(text).toContain(`| \`${limit}\` |`);
  });
});
