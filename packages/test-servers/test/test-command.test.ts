// If this fails: `npm test` on a machine without Temporal's server gets it late, or lets tests run into the build.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/test.mjs', import.meta.url));

it('npm test prepares servers beside the static checks, and runs tests when both are done', () => {
  const { order, lastLine } = runTestCommand();
  expect(order).toEqual([
    'prepare begins',
    'tsc',
    'tsc',
    'oxlint',
    'oxfmt',
    'prepare ends',
    'vitest',
  ]);
  expect(lastLine).toBe('5 passed, 0 failed');
});

it('npm test prepares nothing where it is told which tests to run', () => {
  const { order } = runTestCommand('--project=fast');
  expect(order).toEqual(['tsc', 'tsc', 'oxlint', 'oxfmt', 'vitest']);
});

/** The script over stand-ins for its tools, each of which notes when it runs. The one that prepares waits for the last check. */
function runTestCommand(...args: string[]): { order: string[]; lastLine: string | undefined } {
  const root = mkdtempSync(join(tmpdir(), 'helix-test-command-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  cpSync(script, join(root, 'scripts', 'test.mjs'));
  const write = (name: string, ...lines: string[]): void => {
    writeFileSync(join(bin, name), ['#!/bin/sh', ...lines].join('\n'));
    chmodSync(join(bin, name), 0o755);
  };
  const until = (line: string): string => `until grep -q ${line} log; do sleep 0.05; done`;
  write('node', 'echo prepare begins >> log', until('oxfmt'), 'echo prepare ends >> log');
  const checkAfter = args.length === 0 ? until('begins') : ':';
  for (const name of ['tsc', 'oxlint', 'oxfmt']) write(name, checkAfter, `echo ${name} >> log`);
  const report = '{"numPassedTests":1,"numFailedTests":0,"testResults":[]}';
  write(
    'vitest',
    'echo vitest >> log',
    `for option in "$@"; do case $option in --outputFile.json=*) echo '${report}' > "\${option#*=}";; esac; done`,
  );
  const { stdout } = spawnSync(process.execPath, ['scripts/test.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  const order = readFileSync(join(root, 'log'), 'utf8').trim().split('\n');
  return { order, lastLine: stdout.trim().split('\n').at(-1) };
}
