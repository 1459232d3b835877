// `npm test`: static checks, then every vitest project from source. The last line on stdout is
// `N passed, N failed`; each static check counts as one. Arguments are handed to vitest.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const prepare = join(root, 'packages', 'test-servers', 'src', 'prepare.ts');

const staticChecks = [
  { name: 'typecheck', command: 'tsc', args: ['--project', 'tsconfig.json'] },
  { name: 'typecheck of the chat page', command: 'tsc', args: ['-p', 'examples/chat'] },
  { name: 'lint', command: 'oxlint', args: [] },
  { name: 'format', command: 'oxfmt', args: ['--check'] },
];

let passed = 0;
let failed = 0;

// A whole run needs every server. One that has to be built takes minutes: that begins first, and tests wait for none of it.
const options = process.argv.slice(2);
const prepared = options.length === 0 ? run('node', [prepare]) : null;

for (const { name, command, args } of staticChecks) {
  const ok = (await run(command, args)) === 0;
  console.log(`${ok ? '✓' : '✗'} ${name}`);
  if (ok) passed += 1;
  else failed += 1;
}

await prepared;
const tests = await runTests(options);
passed += tests.passed;
failed += tests.failed;

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runTests(args) {
  const directory = mkdtempSync(join(tmpdir(), 'helix-test-'));
  const report = join(directory, 'report.json');
  try {
    const status = await run('vitest', [
      'run',
      '--allowOnly=false',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ]);
    return count(report, status);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function count(report, status) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    console.error('vitest wrote no report');
    return { passed: 0, failed: 1 };
  }
  // A file that could not be loaded has no tests, and is a failure all the same.
  const brokenFiles = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((t) => t.status === 'failed'),
  ).length;
  const tests = { passed: result.numPassedTests, failed: result.numFailedTests + brokenFiles };
  if (tests.passed + tests.failed === 0) console.error('no tests ran');
  // Unhandled errors fail vitest without failing a test.
  const silent = tests.failed === 0 && (status !== 0 || tests.passed === 0);
  return silent ? { ...tests, failed: 1 } : tests;
}

/** The exit code of a command that writes to this terminal. */
function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: environment() });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** The workspace's own binaries first, so that `node scripts/test.mjs` works outside of npm too. */
function environment() {
  const bin = join(root, 'node_modules', '.bin');
  return { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}` };
}
