import { describe, expect, it } from 'vitest';
import {
  type AgentConfig,
  AgentNotFoundError,
  AgentRegistry,
  type AgentRegistryLike,
  defaultAgentRegistry,
  defineAgent,
  DefinitionError,
} from '../src/index.ts';
import { resolveAgent } from '../src/define/resolve-agent.ts';

const agent = (name: string, prompt = ''): AgentConfig =>
  defineAgent({ name, systemPrompt: prompt, llmConfig: { model: 'm' } });
const context = { env: { KEY: 'k' }, sessionId: 's', runId: 'r', userId: 'u' };

describe('AgentRegistry', () => {
  it('finds what was registered and throws for what was not', () => {
    const registry = new AgentRegistry();
    const a = agent('a');
    registry.register(a);
    registry.register(a);
    expect(registry.get('a')).toBe(a);
    expect(registry.has('b')).toBe(false);
    expect(() => registry.get('b')).toThrow(AgentNotFoundError);
    expect(() => registry.resolve('b', context)).toThrow(AgentNotFoundError);
  });

  it('makes agents by factory from the context', () => {
    const registry = new AgentRegistry();
    registry.registerFactory('f', (given) => agent('f', `for ${given.userId}`));
    expect(registry.resolve('f', context).systemPrompt).toBe('for u');
    expect(registry.has('f')).toBe(true);
    expect(() => registry.get('f')).toThrow('factory');
    expect(() => registry.get('f')).toThrow(AgentNotFoundError);
  });

  it('refuses a factory that makes another agent', () => {
    const registry = new AgentRegistry();
    registry.registerFactory('f', () => agent('g'));
    expect(() => registry.resolve('f', context)).toThrow(DefinitionError);
  });

  it('refuses a type that is taken', () => {
    const registry = new AgentRegistry();
    registry.register(agent('a'));
    expect(() => registry.register(agent('a'))).toThrow(DefinitionError);
    expect(() => registry.registerFactory('a', () => agent('a'))).toThrow(DefinitionError);
  });

  it('replaces an agent but no factory', () => {
    const registry = new AgentRegistry();
    const newer = agent('a', 'newer');
    expect(registry.replace(agent('a'))).toBe(false);
    expect(registry.replace(newer)).toBe(true);
    expect(registry.get('a')).toBe(newer);
    registry.registerFactory('f', () => agent('f'));
    expect(() => registry.replace(agent('f'))).toThrow(DefinitionError);
  });

  it('lists, unregisters and clears', () => {
    const registry = new AgentRegistry();
    registry.register(agent('a'));
    registry.registerFactory('f', () => agent('f'));
    expect(registry.getRegisteredTypes()).toEqual(['a', 'f']);
    expect(registry.unregister('f')).toBe(true);
    expect(registry.unregister('f')).toBe(false);
    registry.clear();
    expect(registry.getRegisteredTypes()).toEqual([]);
    expect(defaultAgentRegistry).toBeInstanceOf(AgentRegistry);
  });
});

describe('resolveAgent', () => {
  const a = agent('a');
  const registry = new AgentRegistry();
  registry.register(a);
  const forms: [string, AgentRegistryLike][] = [
    ['a registry', registry],
    ['a record', { a }],
    ['a record under other keys', { first: a }],
    ['a map', new Map([['a', a]])],
    ['a function', (type) => (type === 'a' ? a : undefined)],
  ];

  it.each(forms)('finds an agent in %s', (_form, agents) => {
    expect(resolveAgent(agents, 'a')).toBe(a);
    expect(resolveAgent(agents, 'b')).toBeUndefined();
    expect(resolveAgent(agents, 'toString')).toBeUndefined();
  });

  it('hands the context to a factory', () => {
    const made = new AgentRegistry();
    made.registerFactory('f', (given) => agent('f', given.sessionId));
    expect(resolveAgent(made, 'f', context)?.systemPrompt).toBe('s');
  });
});

it('resolveAgent does not choose between two registered agents of one name', () => {
  const twins = { one: agent('a'), other: agent('a', 'another') };
  for (const agents of [twins, new Map(Object.entries(twins))]) {
    expect(() => resolveAgent(agents, 'a')).toThrow(DefinitionError);
    expect(resolveAgent(agents, 'other')).toBe(twins.other);
  }
  expect(resolveAgent({ one: twins.one, again: twins.one }, 'a')).toBe(twins.one);
});
