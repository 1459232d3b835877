// Models that are cut in mid-sentence, and what the stream shows of what they said.
import type { LLMGenerateInput, StepResult } from '@helix-agents/core';
import { standing } from './invariants.ts';
import { say } from './script.ts';
import { heldUntilStopped, type Barrier } from './waiting.ts';
import type { World } from './world.ts';

export const SAID = 'I think that';

export type Speak = (callbacks: LLMGenerateInput['callbacks']) => unknown;

export const speaks: Speak = (callbacks) => callbacks.onTextDelta(SAID);

/** Says something, and is held until it is stopped; once the barrier is open it goes on to `then`. */
export function cut(
  held: Barrier,
  speak: Speak = speaks,
  then: StepResult = say('done'),
): (input: LLMGenerateInput) => Promise<StepResult> {
  return async (input) => {
    await speak(input.callbacks);
    await heldUntilStopped(held, input);
    return then;
  };
}

/** Text in the stream that is not withdrawn, by step. */
export async function toldText(world: World, agentId = 's'): Promise<readonly string[]> {
  const told = standing(await world.chunks('s')).flatMap(({ chunk }) =>
    chunk.type === 'text_delta' && chunk.agentId === agentId ? [chunk] : [],
  );
  const steps = [...new Set(told.map(({ step }) => step))];
  return steps.map((step) =>
    told.flatMap((one) => (one.step === step ? [one.delta] : [])).join(''),
  );
}
