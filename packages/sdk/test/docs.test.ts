// If this fails: a page shows code that does not compile, or does not do what the page says.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = globSync(
  ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md'],
  {
    cwd: root,
  },
).toSorted();
const timeout = 600_000;
let folder = '';

/** A block of TypeScript. One that begins with ```ts run is run; a txt block right after it is what it prints. */
interface Block {
  readonly file: string;
  readonly code: string;
  readonly runs: boolean;
  readonly output: string | undefined;
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
  'code blocks of the documentation compile',
  () => {
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = spawnSync(tsc, ['--project', folder], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
  },
  timeout,
);

it('the documentation shows no Postgres pool that ends its process when the server closes an idle connection', () => {
  const blocks = pages.flatMap(blocksOf).filter(({ code }) => code.includes('new pg.Pool('));
  expect(blocks).not.toEqual([]);
  const deaf = blocks.filter(({ code }) => !code.includes("pool.on('error',"));
  expect(deaf.map(({ file }) => file)).toEqual([]);
});

it('every line of the documentation that installs packages names zod, which the code beside it imports', () => {
  const lines = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), 'utf8').matchAll(
        /(?:npm i|npm install|pnpm add) @[^\n`]*/g,
      ),
    ].map(([line]) => `${page}: ${line}`),
  );
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !line.endsWith(' zod'))).toEqual([]);
});

describe('code blocks of the documentation print what the page says', () => {
  it.for(pages.flatMap(blocksOf).filter((block) => block.runs))(
    '$file',
    { timeout },
    async ({ file, output }) => {
      const printed = await runHere(file);
      expect(printed.warnings).toEqual([]);
      expect(printed.text).toBe(output ?? printed.text);
    },
  );
});

it(
  'docs/getting-started.md works as described',
  async () => {
    const asked = await runFile('docs/getting-started/ask.ts');
    expect(asked.stdout).toContain('find_order runs');
    expect(asked.stdout).toMatch(/run_suspended\nsuspended_client_tool\n$/);

    const { stdout: answered } = await runFile('docs/getting-started/answer.ts');
    expect(answered).toContain('refund {"orderId":"17","amount":40}\naccepted\n  refund runs\n');
    expect(answered).toContain("{ status: 'completed', output: 'Your 40 are on their way.' }");
    expect(answered).not.toContain('find_order runs');
  },
  timeout,
);

it(
  'the server of docs/guides/deploying.md starts as its Dockerfile starts it, passes its health check, and stops by SIGTERM',
  async () => {
    const guide = readFileSync(join(root, 'docs/guides/deploying.md'), 'utf8');
    const [, file = ''] = /^CMD \["node", "(.+)"\]$/m.exec(guide) ?? [];
    const [, check = ''] = /^HEALTHCHECK .*"-e", "(.+)"\]$/m.exec(guide) ?? [];
    const secret = 'x'.repeat(32);
    const server = startFile(join('docs/guides/deploying', file), {
      DATABASE: 'deployed.db',
      PORT: '0',
      TOKEN_SECRET: secret,
    });
    const port = await server.says(/port: (\d+)/);
    const env = { ...process.env, PORT: port };
    expect(spawnSync(process.execPath, ['-e', check], { env }).status).toBe(0);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await server.says(/stopped/);
    expect(spawnSync(process.execPath, ['-e', check], { env }).status).toBe(1);
  },
  timeout,
);

it('docs/troubleshooting.md quotes errors as the code says them', () => {
  const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
    .replaceAll(/['`]\s*\+\s*['`]/g, '')
    .replaceAll('\\`', '`');
  // Quotations begin their row and are sentences or parts of them; codes and names of options are single words.
  const quoted = [...page.matchAll(/^\| `+ ?(.+?) ?`+ \|/gm)].map(([, said = '']) => said);
  const texts = quoted.filter((said) => said.includes(' '));
  expect(texts.length).toBeGreaterThan(20);
  const unknown = texts.flatMap((said) =>
    said.split('…').filter((part) => part.trim().length > 3 && !sources.includes(part)),
  );
  expect(unknown).toEqual([]);
});

it('docs/why.md alone compares with other frameworks', () => {
  const others = /\b(Mastra|LangGraph|langchain|OpenAI Agents|WorkflowAgent|eve)\b/;
  const naming = pages.filter((page) => others.test(readFileSync(join(root, page), 'utf8')));
  expect(naming).toEqual(['docs/why.md']);
});

it('diagrams of the documentation are images, as scripts/diagrams.mjs draws them', () => {
  const isDrawn = /[│┌┐└┘▼▲]|──/;
  const drawn = pages.filter((page) => isDrawn.test(readFileSync(join(root, page), 'utf8')));
  expect(drawn).toEqual([]);
  const images = join(folder, 'images');
  mkdirSync(images);
  spawnSync(process.execPath, [join(root, 'scripts/diagrams.mjs'), images]);
  const names = globSync('*.svg', { cwd: images });
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) {
    const stored = readFileSync(join(root, 'docs/images', name), 'utf8');
    expect(stored, name).toBe(readFileSync(join(images, name), 'utf8'));
  }
});

it('documentation links to files and headings that exist', () => {
  const others = ['*.md', '{bench,models,.changeset}/**/*.md'];
  const linking = [...pages, ...globSync(others, { cwd: root })];
  const broken = linking.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .map(([, path = '', heading]) => ({ file: path ? join(dirname(page), path) : page, heading }))
      .filter(({ file, heading }) => !isThere(file, heading))
      .map(({ file, heading }) => `${page}: ${file}${heading ? `#${heading}` : ''}`);
  });
  expect(broken).toEqual([]);
});

function isThere(file: string, heading: string | undefined): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  return heading === undefined || headingsOf(readFileSync(path, 'utf8')).includes(heading);
}

/** The anchors that GitHub makes of the headings of a page. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );
}

it('docs/README.md lists every page', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const listed = globSync(['docs/*.md', 'docs/concepts/*.md', 'docs/guides/*.md'], { cwd: root })
    .filter((page) => page !== 'docs/README.md')
    .filter((page) => !index.includes(`(${page.replace('docs/', '')})`));
  expect(listed, 'add these to docs/README.md').toEqual([]);
});

/** The TypeScript blocks of a page. Each keeps its line numbers, so that an error names the line of the page. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = text.matchAll(/^```ts(?!x)( run)?[^\n]*\n(.*?)^```\n(?:\n```txt\n(.*?)^```$)?/gms);
  return [...blocks].map((match) => {
    const [, run, code = '', output] = match;
    const line = text.slice(0, match.index).split('\n').length;
    const name = /^\/\/ ([\w-]+\.ts)$/m.exec(code.split('\n')[0] ?? '')?.[1] ?? `line-${line}.ts`;
    const file = join(page.replace(/\.md$/, ''), name);
    return { file, code: '\n'.repeat(line) + code, runs: run !== undefined, output };
  });
}

function write(file: string, content: string | object): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

/** In this process, in the folder of its page: what a block stores there the next one finds. */
async function runHere(file: string): Promise<{ text: string; warnings: unknown[] }> {
  const script = join(folder, file);
  let text = '';
  vi.spyOn(console, 'log').mockImplementation((...said) => {
    text += `${format(...said)}\n`;
  });
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const here = process.cwd();
  process.chdir(dirname(script));
  try {
    await import(/* @vite-ignore */ script);
  } finally {
    process.chdir(here);
    vi.restoreAllMocks();
  }
  return { text, warnings: warn.mock.calls.flat() };
}

/** In a process of its own, to its end. */
async function runFile(file: string): Promise<{ stdout: string }> {
  const started = startFile(file);
  await started.ended;
  return { stdout: started.said() };
}

interface StartedFile {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  /** What it has printed so far. */
  said(): string;
  /** Resolves to the first group of what it prints; rejects if it ends without having printed it. */
  says(what: RegExp): Promise<string>;
}

function startFile(
  file: string,
  environment: { readonly [name: string]: string } = {},
): StartedFile {
  const script = join(folder, file);
  const child = spawn(process.execPath, ['--conditions=@helix-agents/source', script], {
    cwd: dirname(script),
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (data) => (stdout += String(data)));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const says = async (what: RegExp): Promise<string> => {
    for (;;) {
      const found = what.exec(stdout);
      if (found) return found[1] ?? '';
      const isOver = await Promise.race([ended, once(child.stdout, 'data').then(() => null)]);
      if (isOver && !what.test(stdout)) throw new Error(`${file} ended; it printed: ${stdout}`);
    }
  };
  return { child, ended, said: () => stdout, says };
}
