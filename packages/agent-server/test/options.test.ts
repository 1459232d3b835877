// If this fails: a server runs with less protection than its configuration was meant to give it.
import { DefinitionError } from '@helix-agents/core';
import { expect, it } from 'vitest';
import { AgentServer } from '../src/index.ts';
import { createTestServer } from './fixtures.ts';

it.each([
  [{ auth: () => true }, 'did you mean `authenticate`?'],
  [{ rateLimits: { perMinute: 1 } }, 'did you mean `rateLimit`?'],
  [{ maxBodyByte: 1 }, 'did you mean `maxBodyBytes`?'],
  [{ nonsense: 1 }, '`nonsense` is not an option of AgentServer; it takes `agents`'],
])('AgentServer refuses options that do not exist: %o', (options, text) => {
  const make = (): unknown => new AgentServer({ authenticate: () => true, ...(options as object) });
  expect(make).toThrow(DefinitionError);
  expect(make).toThrow(text);
});

it('AgentServer puts its service name on what the executor logs about its calls', async () => {
  const services: string[] = [];
  const kept = (event: string, data: object = {}): void =>
    void services.push(`${event} ${String((data as { service?: string }).service)}`);
  const logger = { info: kept, warn: kept, error: kept, debug: kept };
  const worker = { logger, serviceName: 'worker' };
  const { server, executor } = createTestServer({ serviceName: 'api' }, worker);
  const submission = { sessionId: 's', toolCallId: 'c', result: 1 };
  await server.submitToolResult(submission);
  await executor.submitToolResult(submission);
  expect(services).toEqual(['client_tool.submit_unknown api', 'client_tool.submit_unknown worker']);
});
