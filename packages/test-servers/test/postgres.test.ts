import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { createPostgresDatabase, describeServer, startPostgres } from '../src/index.ts';

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0];
  } finally {
    await client.end();
  }
}

describeServer('postgres', () => {
  it('createPostgresDatabase gives each file a database of its own on the server of the run', async () => {
    const one = await createPostgresDatabase();
    const two = await createPostgresDatabase();
    expect(new URL(one.url).host).toBe(new URL(two.url).host);
    await ask(one.url, 'create table mine (a int)');
    expect(await ask(two.url, `select to_regclass('mine')`)).toBeNull();
    await Promise.all([one.drop(), two.drop()]);
  });

  it('startPostgres keeps what was committed over a SIGKILL and a restart', async () => {
    const server = await startPostgres();
    const { url } = await createPostgresDatabase(server.url);
    await ask(url, 'create table kept as select 7 as a');
    await server.kill();
    await expect(ask(url, 'select a from kept')).rejects.toThrow();
    await server.restart();
    expect(await ask(url, 'select a from kept')).toBe(7);
    await server.stop();
  });

  it('startPostgres runs from the npm binaries where the system has none', async () => {
    const server = await startPostgres({ binaries: 'npm' });
    expect(await ask(server.url, 'show server_version')).toMatch(/^18\./);
    await server.stop();
    await expect(ask(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('startPostgres leaves no server and no folder behind when its owner is killed', async () => {
    const owner = spawn(process.execPath, [
      '--conditions=@helix-agents/source',
      new URL('./children/own-a-server.ts', import.meta.url).pathname,
    ]);
    const [said] = (await once(owner.stdout, 'data')) as [Buffer];
    const { pid, directory } = JSON.parse(said.toString()) as { pid: number; directory: string };
    expect(existsSync(directory)).toBe(true);
    owner.kill('SIGKILL');
    await vi.waitUntil(() => !isAlive(pid) && !existsSync(directory), { timeout: 300_000 });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
