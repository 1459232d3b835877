// If this fails: a page shows code that does not compile, or does not do what the page says.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'],
  {
    cwd: root,
  },
);
const timeout = 60_000;
let folder = '';

interface Block {
  readonly file: string;
  readonly code: string;
}

beforeAll(() => {
  // Inside the repository, so that packages are found; git does not see it.
  mkdirSync(join(root, '.helix'), { recursive: true });
  folder = mkdtempSync(join(root, '.helix', 'docs-'));
  const options = { isolatedDeclarations: false, noUnusedLocals: false };
  write('tsconfig.json', {
    extends: '../../tsconfig.json',
    compilerOptions: options,
    include: ['**/*.ts'],
  });
  for (const { file, code } of pages.flatMap(blocksOf)) write(file, code);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(
  'shows code that compiles',
  () => {
    const { stdout } = run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', folder]);
    expect(stdout).toBe('');
  },
  timeout,
);

it(
  'has the start it describes',
  () => {
    const start = blocksOf('README.md')[0]?.file ?? '';
    expect(runFile(start)).toMatch(/^[\w-]+ waits for a person\n$/);
  },
  timeout,
);

it(
  'gets started as described',
  () => {
    const asked = runFile('docs/getting-started/ask.ts');
    expect(asked).toContain('find_order runs');
    expect(asked).toMatch(/run_suspended\nsuspended_client_tool\n$/);

    const answered = runFile('docs/getting-started/answer.ts');
    expect(answered).toContain('refund {"orderId":"17","amount":40}\naccepted\n  refund runs\n');
    expect(answered).toContain("{ status: 'completed', output: 'Your 40 are on their way.' }");
    expect(answered).not.toContain('find_order runs');
  },
  timeout,
);

it(
  'answers a client tool as described',
  () => {
    const [first] = blocksOf('docs/human-in-the-loop.md');
    expect(runFile(first?.file ?? '')).toBe("{ status: 'completed', output: 'Painted.' }\n");
  },
  timeout,
);

/** The TypeScript blocks of a page. Each keeps its line numbers, so that an error names the line of the page. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts[^\n]*\n(.*?)^```$/gms)].map((match) => {
    const [, code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    const name = /^\/\/ ([\w-]+\.ts)$/m.exec(code.split('\n')[0] ?? '')?.[1] ?? `line-${line}.ts`;
    return { file: join(page.replace(/\.md$/, ''), name), code: '\n'.repeat(line) + code };
  });
}

function write(file: string, content: string | object): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function runFile(file: string): string {
  const script = join(folder, file);
  const { stdout, stderr } = run(process.execPath, ['--conditions=@helix-agents/source', script]);
  expect(stderr).toBe('');
  return stdout;
}

function run(command: string, args: readonly string[]): { stdout: string; stderr: string } {
  const env = { ...process.env, NO_COLOR: '1' };
  return spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
}
