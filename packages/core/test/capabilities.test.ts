import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  buildEffectiveTools,
  capabilitySession,
  createSubAgentTool,
  defineAgent,
  defineTool,
  DefinitionError,
  type AgentDefinition,
  type Capability,
  type SkillDefinition,
  type Tool,
} from '../src/index.ts';

const base = { name: 'root', systemPrompt: 'You help.' };
const tone: SkillDefinition = { name: 'tone', description: 'How to speak.', body: 'Be kind.' };
const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, inputSchema: z.object({}), execute: () => 'x', ...more }) as Tool;
const renamed = (name: string): Tool => ({ ...tool('look'), name });
const helper = defineAgent({
  name: 'helper',
  systemPrompt: 'x',
  outputSchema: z.object({ said: z.string() }),
});

describe('an agent with capabilities', () => {
  it('has its own tools first, then those it brings, and hands in its output last', () => {
    const agent = defineAgent({
      ...base,
      tools: [tool('look')],
      skills: [tone],
      capabilities: [{ name: 'more', tools: [tool('find')] }],
      outputSchema: z.object({ said: z.string() }),
    });
    const names = buildEffectiveTools(agent as never).map(({ name }) => name);
    expect(names).toEqual(['look', 'load_skill', 'read_skill_file', 'find', '__finish__']);
  });

  const cases: [string, Partial<AgentDefinition>, string][] = [
    ['a tool with a name of the framework', { tools: [renamed('load_skill')] }, 'belongs to the'],
    ['a tool with a prefix of the framework', { tools: [renamed('companion__x')] }, 'start with'],
    ['a tool that only looks like a sub-agent', { tools: [renamed('subagent__x')] }, 'start with'],
    ['skills that are nothing', { skills: {} as never }, 'has no `listSkills`'],
    ['skills that are a text', { skills: 'tone' as never }, 'SkillProvider'],
    ['a skill that is wrong', { skills: [{ ...tone, name: 'A B' }] }, '1 to 64'],
    ['preloaded skills without skills', { preloadSkills: ['tone'] }, 'give it `skills`'],
    [
      'preloaded skills that are no list',
      { skills: [tone], preloadSkills: 'tone' as never },
      'list',
    ],
    ['a preloaded path', { skills: [tone], preloadSkills: ['../x'] }, '"../x" is none'],
    ['capabilities that are no list', { capabilities: {} as never }, 'must be a list'],
    ['a capability without a name', { capabilities: [{} as Capability] }, 'with a `name`'],
    ['a capability with a reserved name', { capabilities: [{ name: 'skills' }] }, 'belongs to the'],
    ['two capabilities of one name', { capabilities: [{ name: 'a' }, { name: 'a' }] }, 'two cap'],
    [
      'an unknown option',
      { capabilities: [{ name: 'a', promt: 'x' } as never] },
      'did you mean `prompt`',
    ],
    [
      'a prompt that is a number',
      { capabilities: [{ name: 'a', prompt: 1 as never }] },
      '`prompt`',
    ],
    [
      'a step that is a text',
      { capabilities: [{ name: 'a', beforeStep: 'x' as never }] },
      '`beforeStep`',
    ],
    [
      'no time',
      { capabilities: [{ name: 'a', timeoutMs: 0 }] },
      'not 0; leave it out for the default of 5000.',
    ],
    [
      'a time that is a text',
      { capabilities: [{ name: 'a', timeoutMs: '9' as never }] },
      'not a string; leave it out for',
    ],
    ['hooks that are a number', { capabilities: [{ name: 'a', hooks: 5 as never }] }, '`hooks`'],
    ['hooks that are a list', { hooks: [] as never }, '`hooks` must be an object'],
    [
      'a hook that is no function',
      { capabilities: [{ name: 'a', hooks: { onAgentComplete: 'x' as never } }] },
      '`onAgentComplete` must be a function',
    ],
    [
      'an unknown hook',
      { capabilities: [{ name: 'a', hooks: { onStart: () => {} } as never }] },
      'onStart',
    ],
    [
      'a tool of a capability with the name of another',
      { tools: [tool('look')], capabilities: [{ name: 'a', tools: [tool('look')] }] },
      'two tools are named "look"',
    ],
    [
      'a tool of a capability that finishes',
      { capabilities: [{ name: 'a', tools: [tool('end', { finishWith: true })] }] },
      'belongs in the `tools` of the agent',
    ],
    [
      'a tool of a capability that was written for another state',
      {
        capabilities: [
          { name: 'a', tools: [tool('look', { stateSchema: z.object({ n: z.number() }) })] },
        ],
      },
      'was written for a state',
    ],
    [
      'a sub-agent of a capability',
      { capabilities: [{ name: 'a', tools: [createSubAgentTool(helper, z.object({}))] }] },
      'belongs in the `tools` of the agent',
    ],
  ];
  it.each(cases)('SKIL-05: is refused for %s', (_what, more, message) => {
    const define = () => defineAgent({ ...base, ...more } as never);
    expect(define).toThrow(DefinitionError);
    expect(define).toThrow(message);
  });
});

describe('capabilitySession', () => {
  it('refuses a context that is not the engine’s', () => {
    expect(() => capabilitySession({} as never)).toThrow('the one that the engine gave');
  });
});
