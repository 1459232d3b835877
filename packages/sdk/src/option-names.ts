import type { OptionNames } from '@helix-agents/core/host';
import type { HelixOptions } from './helix.ts';

export const HELIX_OPTIONS: OptionNames<HelixOptions> = {
  of: 'createHelix',
  known: {
    model: true,
    database: true,
    agents: true,
    recoverEveryMs: true,
    autoResume: true,
    handleSignals: true,
    shutdownGraceMs: true,
    logger: true,
    serviceName: true,
    hooks: true,
    submitToolResultSchema: true,
    describeError: true,
    limits: true,
    clock: true,
    newId: true,
    leaseMs: true,
  },
  otherNames: {
    llm: 'model',
    llmAdapter: 'model',
    adapter: 'model',
    agent: 'agents',
    agentRegistry: 'agents',
    registry: 'agents',
    db: 'database',
    storage: 'database',
    store: 'database',
    stores: 'database',
    stateStore: 'database: { stateStore, streamManager }',
    streamManager: 'database: { stateStore, streamManager }',
    usageStore: 'database: { stateStore, streamManager, usageStore }',
  },
};
