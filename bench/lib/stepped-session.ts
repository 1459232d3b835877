import type { LLMAdapter } from '@helix-agents/core';
import { benchAgent, steppingModel } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import type { Stores } from './stores.ts';
import { seedSession } from './store-turn.ts';

/** Steps one session takes at a time, while the others wait. */
export const STEPS_AT_A_TIME = 8;
/** How often it does: so many steps lie around the size that is measured. */
export const TIMES = 6;

export interface SteppedSession {
  /** Lets the session take so many steps more; resolves when the last of them is committed. */
  take(steps: number): Promise<void>;
  /** Lets it end. */
  finish(): Promise<void>;
}

/**
 * A session with about so many messages, and a second turn whose model waits until it is let on. The transcript has just
 * this size halfway through the steps that will be taken. What the first step reads, the others know: it is taken already.
 */
export async function steppedSession(
  stores: Pick<Stores, 'stateStore' | 'streamManager'>,
  messages: number,
): Promise<SteppedSession> {
  const agent = benchAgent('growth', 'step');
  const sessionId = freshId();
  const steps = messages / 2 - (STEPS_AT_A_TIME * TIMES) / 2;
  await seedSession(stores.stateStore.sessions, sessionId, agent.name, steps);
  const gate = { left: 0, open: (): void => {}, reached: (): void => {} };
  const stepping = steppingModel(steps + STEPS_AT_A_TIME * TIMES + 2);
  const model: LLMAdapter = {
    async generateStep(input) {
      if (gate.left === 0) {
        const opened = new Promise<void>((resolve) => (gate.open = resolve));
        gate.reached();
        await opened;
      }
      gate.left -= 1;
      return stepping.generateStep(input);
    },
  };
  const take = (count: number): Promise<void> =>
    new Promise((resolve) => {
      gate.left += count;
      gate.reached = resolve;
      gate.open();
    });
  const turn = runTurn(executorFor({ ...stores, close: () => {} }, model, agent), agent, sessionId);
  await Promise.race([take(1), turn]);
  return {
    take: (count) => Promise.race([take(count), turn]),
    async finish() {
      void take(Infinity);
      await turn;
    },
  };
}
