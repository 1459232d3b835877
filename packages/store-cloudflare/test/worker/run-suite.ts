import { startTests, type File, type Task, type VitestRunner } from '@vitest/runner';

export interface Outcome {
  readonly name: string;
  readonly state: string;
  readonly error: string;
}

/** Registers a suite and runs it here. */
export async function runSuite(register: () => void): Promise<Outcome[]> {
  const runner = {
    config: {
      root: '/',
      setupFiles: [],
      name: undefined,
      passWithNoTests: false,
      testNamePattern: undefined,
      allowOnly: false,
      sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
      chaiConfig: undefined,
      maxConcurrency: 1,
      testTimeout: 600_000,
      hookTimeout: 600_000,
      retry: 0,
      includeTaskLocation: false,
      tags: [],
      tagsFilter: undefined,
      strictTags: false,
    },
    importFile: register,
  } satisfies VitestRunner as VitestRunner;
  const files: File[] = await startTests([{ filepath: '/suite' }], runner);
  return files.flatMap((file) => outcomesOf(file, ''));
}

function outcomesOf(task: Task, path: string): Outcome[] {
  const errors = (task.result?.errors ?? []).map(
    ({ message, stack }) => `${message}\n${stack ?? ''}`,
  );
  if (task.type === 'test') {
    return [{ name: path, state: task.result?.state ?? task.mode, error: errors.join('\n') }];
  }
  const own = errors.length > 0 ? [{ name: path, state: 'fail', error: errors.join('\n') }] : [];
  const below = task.tasks.flatMap((one) => outcomesOf(one, `${path}${path && ' > '}${one.name}`));
  return [...own, ...below];
}
