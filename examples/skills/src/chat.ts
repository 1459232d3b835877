import type { Helix, StreamChunk } from '@helix-agents/sdk';
import { assistant } from './agent.ts';

/** Sends a message and prints what comes back as it is streamed: the skill that is loaded, the file that is read, the answer. */
export async function chat(
  helix: Helix,
  sessionId: string,
  message: string,
  print: (line: string) => void,
): Promise<void> {
  print(`you: ${message}`);
  const handle = await helix.run(assistant, message, { sessionId });
  for await (const chunk of (await handle.stream()) ?? []) {
    const line = describe(chunk);
    if (line !== null) print(line);
  }
  const result = await handle.result();
  print(result.status === 'completed' ? `shop: ${String(result.output)}` : `(${result.status})`);
}

function describe(chunk: StreamChunk): string | null {
  if (chunk.type === 'custom' && chunk.name === 'skill_loaded') {
    const { name } = chunk.data as { readonly name: string };
    return `  [loaded the skill "${name}"]`;
  }
  if (chunk.type === 'tool_start' && chunk.toolName === 'read_skill_file') {
    const { path } = chunk.arguments as { readonly path: string };
    return `  [reads ${path}]`;
  }
  return null;
}
