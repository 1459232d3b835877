// If this fails: a session that was begun with one agent is resumed with another one that has its name.
import { DefinitionError, noopLogger } from '@helix-agents/core';
import { expect, it } from 'vitest';
import { AgentServer } from '../src/index.ts';
import { agents } from './agents.ts';

it('takes one agent under several keys, and no two agents of one name', () => {
  const [agent] = Object.values(agents);
  if (!agent) throw new Error('There is no agent');
  const serve = (given: typeof agents): AgentServer =>
    new AgentServer({ agents: given, allowUnauthenticated: true, logger: noopLogger });
  expect(() => serve({ one: agent, again: agent })).not.toThrow();
  expect(() => serve({ one: agent, other: { ...agent } })).toThrow(DefinitionError);
});
