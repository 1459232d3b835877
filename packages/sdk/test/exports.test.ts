// If this fails: a name that applications import has moved or gone. Types are checked by the compiler, values here.
import * as core from '@helix-agents/core';
import type {
  AgentExecutionHandle,
  AgentExecutor,
  SessionState,
  SessionStateStore,
  SessionStatus,
  StreamChunk,
  StreamManager,
  StreamReader,
  StreamWriter,
  SubSessionRef,
  UsageStore,
} from '@helix-agents/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as sdk from '../src/index.ts';

const VALUES = `
  defineAgent defineTool createSubAgentTool AgentRegistry defaultAgentRegistry
  NoOpLockManager StaleStateError AgentAlreadyRunningError HelixError
  buildEffectiveTools buildMessagesForLLM createAssistantMessage createToolResultMessage ImmerStateTracker
  SUBMIT_SCHEMA_LIMITS createSubmitToolResultSchema SubmitToolResultSchema DEFAULT_SUBMIT_MAX_RESULT_BYTES
  KNOWN_ERROR_CODES isKnownErrorCode CLIENT_TOOL_ERROR_CODES isClientToolErrorCode humanizeClientToolError
  RESERVED_TOOL_NAMES RESERVED_TOOL_NAME_PREFIXES
  MockLLMAdapter RoutingMockLLMAdapter anthropicCache applyCacheStrategies
  StreamChunkSchema StreamMessageSchema findExpiredPending consoleLogger noopLogger
`.match(/\w+/g) as string[];

describe('names that applications import', () => {
  it.each(VALUES)('@helix-agents/core exports %s', (name) => {
    expect(core).toHaveProperty(name);
  });

  it('@helix-agents/core exports the types of stores, streams and sessions', () => {
    expectTypeOf<SessionState>().toHaveProperty('status').toEqualTypeOf<SessionStatus>();
    expectTypeOf<SessionStateStore>().toHaveProperty('loadState');
    expectTypeOf<SubSessionRef>().toHaveProperty('subSessionId');
    expectTypeOf<StreamManager>().toHaveProperty('createReader');
    expectTypeOf<StreamReader>().not.toBeAny();
    expectTypeOf<StreamWriter>().toHaveProperty('write');
    expectTypeOf<StreamChunk>().toHaveProperty('type');
    expectTypeOf<UsageStore>().toHaveProperty('getRollup');
    expectTypeOf<AgentExecutor>().toHaveProperty('execute');
    expectTypeOf<AgentExecutionHandle>().toHaveProperty('result');
  });

  it('@helix-agents/sdk exports all of core, the in-process runtime and the embedded stores', () => {
    const own = ['createHelix', 'JSAgentExecutor', 'InMemoryStateStore', 'SqliteStateStore'];
    for (const name of [...Object.keys(core), ...own]) expect(sdk).toHaveProperty(name);
  });
});
