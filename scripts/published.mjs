// `npm run published`: what would be published, packed and tried as its users have it, outside of this repository. Needs a build.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { tryInstalling } from './try-installing.mjs';

const root = join(import.meta.dirname, '..');
const manifests = globSync('packages/*/package.json', { cwd: root })
  .map((file) => ({ folder: dirname(file), ...readManifest(file) }))
  .filter((manifest) => !manifest.private);
const home = mkdtempSync(join(tmpdir(), 'helix-published-'));

try {
  install();
  await check('every entry offers the names of its source', sameNames);
  await check('the loop loads nothing but itself', loopAlone);
  await check('an agent waits in one process and goes on in another', approvals);
  await check('helix-skills starts', command);
  await check('the examples agree with the declarations', types);
  await check('a page with a chat loads neither zod nor immer', page);
  await check('the bundler of Temporal takes the workflow', workflow);
  await tryInstalling({ root, home, manifests, check });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The packages from their tarballs, everything else from this repository. */
function install() {
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '@helix-agents'), { recursive: true });
  const own = new Set(['@helix-agents', '.bin', '.package-lock.json']);
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => !own.has(one))) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const workspaces = manifests.map(({ folder }) => `--workspace=${folder}`);
  run(root, 'npm', ['pack', '--silent', `--pack-destination=${home}`, ...workspaces]);
  for (const manifest of manifests) {
    const { name, version } = manifest;
    manifest.tarball = `${name.slice(1).replace('/', '-')}-${version}.tgz`;
    run(home, 'tar', ['-xzf', manifest.tarball]);
    renameSync(join(home, 'package'), join(modules, name));
  }
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  cpSync(join(root, 'examples'), join(home, 'examples'), {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|dist|test)$/.test(path),
  });
}

function sameNames() {
  const entries = manifests.flatMap(({ name, exports }) =>
    Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => name + path.slice(1)),
  );
  const program = `for (const entry of ${JSON.stringify(entries)})
    console.log(entry, Object.keys(await import(entry)).toSorted().join(' '));`;
  const names = (folder, ...options) =>
    run(folder, process.execPath, [
      ...options,
      '--no-warnings',
      '--input-type=module',
      '--eval',
      program,
    ]);
  const built = names(home).split('\n');
  const source = names(root, '--conditions=@helix-agents/source').split('\n');
  const differ = source.filter((line, index) => line !== built[index]);
  if (differ.length > 0) throw new Error(`built otherwise:\n${differ.join('\n')}`);
}

function loopAlone() {
  const code = readFileSync(join(home, 'node_modules/@helix-agents/core/dist/loop.js'), 'utf8');
  const imports = code.match(/^(import|export.*from)\b.*$/gm) ?? [];
  if (imports.length > 0) throw new Error(imports.join('\n'));
}

function approvals() {
  run(home, process.execPath, ['--no-warnings', 'examples/approvals/src/main.ts']);
}

function command() {
  run(home, process.execPath, [
    'node_modules/@helix-agents/skill-cli/bin/helix-skills.js',
    '--help',
  ]);
}

function types() {
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  };
  const include = ['approvals', 'server', 'temporal'].map((name) => `examples/${name}/src`);
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  run(home, join(root, 'node_modules', '.bin', 'tsc'), []);
}

async function page() {
  const bundled = await rolldown({
    cwd: home,
    input: '@helix-agents/ai-sdk/react',
    external: /^(react|ai$|@ai-sdk\/)/,
    platform: 'browser',
  });
  const { output } = await bundled.generate();
  const files = output.flatMap((chunk) => Object.keys(chunk.modules));
  const libraries = files.filter((file) => !file.includes('@helix-agents'));
  if (libraries.length > 0) throw new Error(libraries.join('\n'));
}

function workflow() {
  const program = `import { bundleAgentWorkflow } from '@helix-agents/runtime-temporal';
    const { code } = await bundleAgentWorkflow({ logger: undefined });
    if (!code.includes('agentWorkflow')) throw new Error('the bundle has no workflow');`;
  run(home, process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]);
}

async function check(what, attempt) {
  try {
    await attempt();
    console.log(`✓ ${what}`);
  } catch (error) {
    console.error(`✗ ${what}\n${error.message}`);
    process.exitCode = 1;
  }
}

/** Returns what the command says; throws it where it fails. */
function run(cwd, command, args) {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw error ?? new Error(`${command} failed\n${stdout}${stderr}`);
  return stdout;
}

function readManifest(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
