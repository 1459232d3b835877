// docs/getting-started.md in an empty folder, by the letter: its install lines, its files, what it says they print.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRegistry } from './package-registry.mjs';

const PAGE = 'docs/getting-started.md';
const PNPM = 'pnpm@10.34.9';

/** Only packages of this repository come from `home`. Where the registry of the others cannot be reached, nothing is tried; in CI that fails. */
export async function tryInstalling({ root, home, manifests, check }) {
  const ping = await execute(root, 'npm', ['ping', '--fetch-retries=0']);
  if (ping.code !== 0 && !process.env.CI) {
    console.log('- getting started was not tried: the npm registry cannot be reached');
    return;
  }
  const registry = await startRegistry(home, manifests);
  const page = readFileSync(join(root, PAGE), 'utf8');
  const here = (name) => ({ root, folder: join(home, name), registry: registry.url, page });
  try {
    await check(`${PAGE} works after npm i`, () =>
      follow(here('with-npm'), (packages) => ['npm', 'i', ...packages]),
    );
    await check(`${PAGE} works after pnpm add`, () =>
      follow(here('with-pnpm'), (packages) => ['npx', '--yes', PNPM, 'add', ...packages]),
    );
    const [oldest] = manifests[0].engines.node.match(/\d+\.\d+\.\d+/);
    await check(`${PAGE} works on Node ${oldest}`, () => followOn(here('with-old-node'), oldest));
  } finally {
    registry.close();
  }
}

async function follow(place, install) {
  const { root, folder, page } = place;
  prepare(place);
  for (const [, packages] of page.matchAll(/^npm i (.+)$/gm)) {
    await succeed(folder, ...install(packages.split(' ')));
  }
  await succeed(folder, join(root, 'node_modules', '.bin', 'tsc'));
  await runFiles(folder, process.execPath);
}

/** A Node of this version is a package too. */
async function followOn(place, version) {
  const { folder, page } = place;
  prepare(place);
  const [, packages] = /^npm i (.+)$/m.exec(page);
  await succeed(folder, 'npm', 'i', ...packages.split(' '));
  const old = join(folder, 'old');
  mkdirSync(old);
  writeFileSync(join(old, 'package.json'), '{ "allowScripts": { "node": true } }');
  await succeed(old, 'npm', 'i', `node@${version}`);
  await runFiles(folder, join(old, 'node_modules', '.bin', 'node'));
}

/** What is in the folder before the first install, and the files that the page says to save. */
function prepare({ root, folder, registry, page }) {
  mkdirSync(folder);
  writeFileSync(join(folder, '.npmrc'), `@helix-agents:registry=${registry}\n`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const blocks = page.matchAll(/^```ts\n(\/\/ ([\w-]+\.ts)\n.*?)^```$/gms);
  const names = [...blocks].map(([, code, name]) => {
    writeFileSync(join(folder, name), code);
    return name;
  });
  if (!names.includes('ask.ts')) throw new Error(`${PAGE} has no ask.ts`);
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
}

async function runFiles(folder, node) {
  const asked = await succeed(folder, node, '--no-warnings', 'ask.ts');
  if (!asked.endsWith('run_suspended\nsuspended_client_tool\n')) throw new Error(asked);
  const answered = await succeed(folder, node, '--no-warnings', 'answer.ts');
  if (!/refund runs[^]*Your 40 are on their way/.test(answered)) throw new Error(answered);
}

/** What the command prints; throws it where the command fails. */
async function succeed(cwd, command, ...args) {
  const { code, stdout, output } = await execute(cwd, command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${output}`);
  return stdout;
}

function execute(cwd, command, args) {
  // npm tells its scripts which folder it runs in; here it is another one.
  const { npm_config_local_prefix: _, ...outer } = process.env;
  const env = { ...outer, NODE_OPTIONS: '', NO_COLOR: '1' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, output] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
    output += data;
  });
  child.stderr.on('data', (data) => (output += data));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, stdout, output: error.message }));
    child.once('close', (code) => resolve({ code, stdout, output }));
  });
}
