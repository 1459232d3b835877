import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createHelix, type Helix, type HelixOptions } from '../src/index.ts';
import { createAssistant, model } from './children/assistant.ts';

interface Scene {
  readonly child: ChildProcess;
  readonly ended: Promise<{ signal: string | null; output: string }>;
  /** Another process over the same database. */
  open(options?: Partial<HelixOptions>): Helix;
  readonly agent: ReturnType<typeof createAssistant>;
  started(): string[];
}

/** A process in the middle of a slow tool, with a quick one behind it. */
async function startProcess(leaseMs: number): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-sdk-'));
  const database = join(folder, 'helix.db');
  const ledger = join(folder, 'ledger');
  const script = fileURLToPath(new URL('children/serve.ts', import.meta.url));
  const args = ['--conditions=@helix-agents/source', script, database, ledger, String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const ended = new Promise<{ signal: string | null; output: string }>((resolve) => {
    child.on('close', (_code, signal) => resolve({ signal, output }));
  });
  const quickDone = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += String(data);
      if (output.includes('quick done')) resolve();
    });
    child.on('close', () => reject(new Error(`The process ended too early: ${output}`)));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await quickDone;
  const agent = createAssistant(ledger, 0);
  return {
    child,
    ended,
    agent,
    open(options) {
      const helix = createHelix({ model, database, recoverEveryMs: false, ...options });
      onTestFinished(() => helix.close());
      return helix;
    },
    started: () => readFileSync(ledger, 'utf8').trim().split('\n'),
  };
}

it('SIGTERM in the middle of a tool leaves a resumable session (RECV-09)', async () => {
  const scene = await startProcess(60_000);

  scene.child.kill('SIGTERM');
  const { signal, output } = await scene.ended;

  expect(signal).toBe('SIGTERM');
  expect(output).toContain('stream closed');
  const helix = scene.open();
  // The lease had a minute to go: it was given back, not left to run out.
  expect((await helix.executor.canResume(scene.agent, 's')).canResume).toBe(true);
  const handle = await helix.resume(scene.agent, 's');
  expect(await handle.result()).toEqual({ status: 'completed', output: 'Both are done.' });
  expect(scene.started()).toEqual(['quick', 'slow', 'slow']);
  const { runs } = await helix.executor.listRuns('s');
  expect(runs.map((run) => run.status)).toEqual(['completed']);
});

it('createHelix takes over by itself what a killed process left behind', async () => {
  const scene = await startProcess(300);

  scene.child.kill('SIGKILL');
  await scene.ended;

  const helix = scene.open({ agents: [scene.agent], recoverEveryMs: 50 });
  const handle = await helix.executor.getHandle(scene.agent, 's');
  expect(await handle?.result()).toEqual({ status: 'completed', output: 'Both are done.' });
  expect(scene.started()).toEqual(['quick', 'slow', 'slow']);
});
