// If this fails: a server runs with less protection than its configuration was meant to give it.
import {
  createSubmitToolResultSchema,
  DefinitionError,
  SUBMIT_SCHEMA_LIMITS,
} from '@helix-agents/core';
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

it('AgentServer says once, at the start, that the limits of a submit schema are lost', async () => {
  const events: unknown[] = [];
  const quiet = (): void => {};
  const debug = (event: string, data?: object): void => void events.push([event, data]);
  const logger = { info: quiet, warn: quiet, error: quiet, debug };
  const whole = createSubmitToolResultSchema({ maxResultBytes: 10 });
  const derived = whole.refine(() => true);
  const { server } = createTestServer({ logger, submitToolResultSchema: derived as never });
  await server.submitToolResult({ sessionId: 's', toolCallId: 'c', result: 1 });
  expect(events).toMatchObject([
    ['submit_tool_result.schema_limits_unreadable', { maxResultBytes: 1_048_576 }],
  ]);
  events.length = 0;
  const repaired = Object.assign(derived, { [SUBMIT_SCHEMA_LIMITS]: whole[SUBMIT_SCHEMA_LIMITS] });
  createTestServer({ logger, submitToolResultSchema: repaired });
  expect(events).toEqual([]);
});
