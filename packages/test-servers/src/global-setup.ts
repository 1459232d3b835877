import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { ServerUnavailableError } from './errors.ts';
import type {} from './provided.ts';
import { serverCatalogue, type ServerName, type SharedServer } from './server-catalogue.ts';

/**
 * One server of each kind per run, started when the first test file asks for it and ended with the
 * run. Runs in vitest's main process; test files ask through `sharedServerUrl`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<ServerName, Promise<SharedServer>>();
  const broker = createServer((request, response) => {
    void answer(started, request.url?.slice(1) as ServerName, response);
  });
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  broker.unref();
  project.provide('testServersUrl', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);
  return () => endAll(broker, started);
}

async function answer(
  started: Map<ServerName, Promise<SharedServer>>,
  name: ServerName,
  response: ServerResponse,
): Promise<void> {
  try {
    const server = started.get(name) ?? serverCatalogue[name]();
    started.set(name, server);
    response.end((await server).url);
  } catch (error) {
    response.statusCode = 503;
    response.end(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ServerUnavailableError) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

async function endAll(
  broker: Server,
  started: Map<ServerName, Promise<SharedServer>>,
): Promise<void> {
  broker.close();
  await Promise.allSettled([...started.values()].map(async (server) => (await server).stop()));
}
