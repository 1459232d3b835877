// If this fails: a page that names its agent is told wrong types of its messages and tools.
import { defineAgent, defineTool, type StateStore } from '@helix-agents/core';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { ChatDependencies, InferAgentUIMessage, SubAgentData } from '../src/index.ts';
import type { ToolHandlersOf, UseHelixChatOptions } from '../src/react.ts';

const agent = defineAgent({
  name: 'painter',
  systemPrompt: 'You paint.',
  tools: [
    defineTool({
      name: 'pick_color',
      description: 'Asks for a color.',
      inputSchema: z.object({ shades: z.array(z.string()) }),
      outputSchema: z.object({ color: z.string() }),
      execute: 'client',
    }),
    defineTool({
      name: 'paint',
      description: 'Paints the wall.',
      inputSchema: z.object({ color: z.string() }),
      execute: async ({ color }) => ({ painted: color, litres: 2 }),
    }),
  ],
});

type Message = InferAgentUIMessage<typeof agent>;
type Part<Type extends string> = Extract<Message['parts'][number], { type: Type }>;

it('InferAgentUIMessage types the tool parts by the tools of the agent', () => {
  expectTypeOf<
    Extract<Part<'tool-pick_color'>, { state: 'input-available' }>['input']
  >().toEqualTypeOf<{
    shades: string[];
  }>();
  expectTypeOf<
    Extract<Part<'tool-paint'>, { state: 'output-available' }>['output']
  >().toEqualTypeOf<{
    painted: string;
    litres: number;
  }>();
  expectTypeOf<Part<'data-subagent'>['data']>().toEqualTypeOf<SubAgentData>();
});

it('toolHandlers of a page are typed by the tools of its agent', () => {
  const options: UseHelixChatOptions<Message> = {
    id: 's',
    toolHandlers: {
      pick_color: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ shades: string[] }>();
        return { color: input.shades[0] ?? 'red' };
      },
    },
  };
  expectTypeOf(options.toolHandlers).not.toBeAny();
  const wrong: ToolHandlersOf<Message> = {
    // @ts-expect-error the result of this tool has a color
    pick_color: () => ({ colour: 'red' }),
  };
  // @ts-expect-error the agent has no such tool
  const unknown: ToolHandlersOf<Message> = { pick_colour: () => ({ color: 'red' }) };
  expectTypeOf(wrong).toEqualTypeOf(unknown);
});

it('handlers of a page that does not name its agent may be for any tool', () => {
  const options: UseHelixChatOptions = { id: 's', toolHandlers: { anything: () => 1 } };
  expectTypeOf(options).toBeObject();
  expectTypeOf<ChatDependencies['stateStore']>().toExtend<StateStore>();
});
