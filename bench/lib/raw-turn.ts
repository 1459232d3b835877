import { FINAL_TEXT, STEPS, TOOL_INPUT, TOOL_OUTPUT } from './agents.ts';
import type { RawStore } from './raw.ts';
import type { RawServer } from './server-place.ts';

/**
 * A turn without a framework: the same model answers and tool results, awaited as a real loop would. With two commits
 * the model's answer is durable before its tool runs.
 */
export async function rawTurn(
  store: RawStore | RawServer,
  id: string,
  commitsPerStep: 1 | 2,
): Promise<void> {
  const transcript: unknown[] = [{ role: 'user', content: 'go' }];
  await store.create(id, transcript);
  let version = 1;
  for (let step = 0; step < STEPS; step += 1) {
    const answer = await callModel(step);
    if (commitsPerStep === 2) await store.commit(id, version++, [answer]);
    const result = { role: 'tool', toolCallId: `call-${step}`, content: await callTool() };
    const messages = commitsPerStep === 2 ? [result] : [answer, result];
    await store.closeStep(id, version++, messages);
    transcript.push(answer, result);
  }
  await store.closeStep(id, version, [{ role: 'assistant', content: FINAL_TEXT }]);
}

async function callModel(step: number): Promise<unknown> {
  const call = { id: `call-${step}`, name: 'search', arguments: TOOL_INPUT };
  return { role: 'assistant', content: '', toolCalls: [call] };
}

async function callTool(): Promise<unknown> {
  return TOOL_OUTPUT;
}
