// What an application bundles that has workflows of its own.
export { agentWorkflow as deskWorkflow } from '@helix-agents/runtime-temporal/workflow';

/** @public Started by its name. */
export async function greetWorkflow(name: string): Promise<string> {
  return `Hello, ${name}`;
}
