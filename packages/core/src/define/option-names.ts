import type { Capability } from '../capability/types.ts';
import type { LLMConfig } from '../llm/adapter.ts';
import type { AgentDefinition } from './define-agent.ts';
import type { OptionNames } from './refuse-unknown.ts';
import type { SubAgentToolOptions } from './sub-agent-tool.ts';
import type { Tool } from './types.ts';

const APPROVAL_WORDS = {
  needsApproval: 'requireApproval',
  requiresApproval: 'requireApproval',
  requireConfirmation: 'requireApproval',
  approval: 'requireApproval',
};

export const TOOL_OPTIONS: OptionNames<Tool & { parameters: never }> = {
  of: 'defineTool',
  known: {
    name: true,
    description: true,
    inputSchema: true,
    parameters: true,
    outputSchema: true,
    stateSchema: true,
    execute: true,
    finishWith: true,
    requireApproval: true,
    execution: true,
    timeoutMs: true,
    clientToolTimeoutMs: true,
    approvalTimeoutMs: true,
    strict: true,
    subAgent: true,
  },
  otherNames: {
    ...APPROVAL_WORDS,
    id: 'name',
    toolName: 'name',
    schema: 'inputSchema',
    args: 'inputSchema',
    returns: 'outputSchema',
    state: 'stateSchema',
    handler: 'execute',
    run: 'execute',
    timeout: 'timeoutMs',
    returnDirect: 'finishWith',
  },
};

export const SUB_AGENT_OPTIONS: OptionNames<SubAgentToolOptions> = {
  of: 'createSubAgentTool',
  known: { description: true, timeoutMs: true },
  otherNames: { timeout: 'timeoutMs' },
};

export const CAPABILITY_OPTIONS: OptionNames<Capability> = {
  of: 'a capability',
  known: {
    name: true,
    timeoutMs: true,
    tools: true,
    prompt: true,
    beforeStep: true,
    hooks: true,
  },
  otherNames: { timeout: 'timeoutMs', systemPrompt: 'prompt', instructions: 'prompt' },
};

export const AGENT_OPTIONS: OptionNames<AgentDefinition> = {
  of: 'defineAgent',
  known: {
    name: true,
    description: true,
    systemPrompt: true,
    tools: true,
    stateSchema: true,
    outputSchema: true,
    llmConfig: true,
    maxSteps: true,
    durability: true,
    clientToolTimeoutMs: true,
    approvalTimeoutMs: true,
    completedTombstoneRetentionMs: true,
    hooks: true,
    skills: true,
    preloadSkills: true,
    capabilities: true,
  },
  otherNames: {
    id: 'name',
    agentType: 'name',
    system: 'systemPrompt',
    prompt: 'systemPrompt',
    instructions: 'systemPrompt',
    model: 'llmConfig: { model }',
    temperature: 'llmConfig: { temperature }',
    state: 'stateSchema',
    output: 'outputSchema',
    maxTurns: 'maxSteps',
    stopWhen: 'maxSteps',
    subAgents: 'tools: [createSubAgentTool(agent, inputSchema)]',
    agents: 'tools: [createSubAgentTool(agent, inputSchema)]',
  },
};

export const MODEL_OPTIONS: OptionNames<LLMConfig> = {
  of: 'llmConfig',
  known: {
    model: true,
    maxOutputTokens: true,
    temperature: true,
    topP: true,
    topK: true,
    presencePenalty: true,
    frequencyPenalty: true,
    stopSequences: true,
    seed: true,
    maxRetries: true,
    maxRetryDelayMs: true,
    headers: true,
    providerOptions: true,
    strictOutput: true,
    toolChoice: true,
    cache: true,
  },
  otherNames: { maxTokens: 'maxOutputTokens', stop: 'stopSequences' },
};
