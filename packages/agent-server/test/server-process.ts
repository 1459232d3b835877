import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AgentClient } from '../src/client.ts';

export const SECRET = 'a-secret-of-the-tests-with-32-bytes';

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** As an operator, who may touch every session. */
  readonly client: AgentClient;
  readonly ended: Promise<string>;
  /** What it takes once nothing is left to collect. */
  readonly memory: () => Promise<NodeJS.MemoryUsage>;
  /** The operator's. */
  readonly key: string;
}

/** Server processes over one database, each with a port of its own. Whoever starts them stops them. */
export async function startProcesses(
  count: number,
  database: string,
  options: { readonly leaseMs?: number } = {},
): Promise<{ readonly processes: readonly ServerProcess[]; readonly stop: () => Promise<void> }> {
  const processes = await Promise.all(
    Array.from({ length: count }, () => startProcess(database, options.leaseMs ?? 15_000)),
  );
  return {
    processes,
    async stop() {
      for (const { child } of processes) child.kill('SIGKILL');
      await Promise.all(processes.map((one) => one.ended));
    },
  };
}

export async function startProcess(
  database: string,
  leaseMs = 15_000,
  nodeArguments: readonly string[] = [],
): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('children/serve.ts', import.meta.url));
  const node = ['--conditions=@helix-agents/source', '--expose-gc', ...nodeArguments];
  const child = spawn(process.execPath, [...node, script, database, SECRET, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  const ended = new Promise<string>((resolve) => {
    child.on('close', () => resolve(output));
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (data) => {
      output += String(data);
      const found = /port (\d+)\n/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(`the server process ended: ${output}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  const key = `operator-${SECRET}`;
  const memory = (): Promise<NodeJS.MemoryUsage> =>
    new Promise((resolve) => {
      child.once('message', (usage) => resolve(usage as NodeJS.MemoryUsage));
      child.send('memory');
    });
  return { child, url, ended, key, memory, client: new AgentClient({ baseUrl: url, token: key }) };
}
