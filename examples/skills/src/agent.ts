import { defineAgent, type AgentConfig } from '@helix-agents/sdk';
import { skills } from './skills.ts';

/** How the shop speaks matters in every answer, so that skill is in the prompt from the start. */
export const assistant: AgentConfig = defineAgent({
  name: 'shop-assistant',
  systemPrompt: 'You answer customers of a shop.',
  skills,
  preloadSkills: ['tone'],
});
