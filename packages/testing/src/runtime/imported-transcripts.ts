// If this fails: a transcript that was imported or cut is refused by the model's provider, and the session is of no use any more.
import { assertValidTranscript, type Message, type SessionStateStore } from '@helix-agents/core';
import { createStateStoreFacade } from '@helix-agents/core/state-store';
import { rootRef } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, serverTool } from './definitions.ts';
import type { Process } from './process.ts';
import { call, say, script } from './script.ts';
import { runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const user: Message = { role: 'user', content: 'hi' };
const asks: Message = {
  role: 'assistant',
  content: '',
  toolCalls: ['a', 'b'].map((id) => ({ id, name: 'look', arguments: {} })),
};
const result: Message = {
  role: 'tool',
  toolCallId: 'b',
  toolName: 'look',
  content: 'seen',
  format: 'text',
  success: true,
};

const root = agent('root', [serverTool('look', () => 'seen')]);

interface Place {
  readonly store: SessionStateStore;
  readonly process: Process;
}

/** Each leaves a call without a result in the transcript of session `s`, and lets the model answer it. */
const WAYS: { readonly [way: string]: (place: Place) => Promise<unknown> } = {
  'imported before the first run': async ({ store, process }) => {
    await store.createSession('s', { agentType: 'root' });
    await store.appendMessages('s', [user, asks, result]);
    return runOnce(process, root, 's');
  },
  'imported after a run': async ({ store, process }) => {
    await runOnce(process, root, 's');
    await store.appendMessages('s', [user, asks]);
    await store.appendMessages('s', [user]);
    return runOnce(process, root, 's');
  },
  'cut between a call and its result': async ({ store, process }) => {
    await runOnce(process, root, 's', 'look');
    await store.truncateMessages('s', 2);
    return runOnce(process, root, 's');
  },
  'promoted with a step driven by hand': async ({ store, process }) => {
    await store.createSession('s', { agentType: 'root' });
    await store.promoteStaging('s', { stepId: 1, messages: [user, asks] });
    return runOnce(process, root, 's');
  },
  'gone back to by time travel': async ({ store, process }) => {
    await store.createSession('s', { agentType: 'root' });
    const { checkpointId } = await store.promoteStaging('s', { stepId: 1, messages: [user, asks] });
    await runOnce(process, root, 's');
    const handle = await process.executor.resume(root, 's', { checkpointId });
    return handle.result();
  },
  'copied into a branch': async ({ store, process }) => {
    await store.createSession('s', { agentType: 'root' });
    const { checkpointId } = await store.promoteStaging('s', { stepId: 1, messages: [user, asks] });
    await process.executor.branchSession('s', { checkpointId, sessionId: 'branch' });
    const handle = await process.executor.resume(root, 'branch');
    return handle.result();
  },
};

export function importedTranscripts(it: Scenario): void {
  describe('a transcript with an unanswered call', () => {
    for (const [way, play] of Object.entries(WAYS)) {
      it(`gets a result that says there is none before a model sees it: ${way}`, async (world) => {
        const { model, place } = open(world);
        expect(await play(place)).toEqual(DONE);
        const shown = model.calls.at(-1)?.messages ?? [];
        assertValidTranscript(shown);
        const codes = shown.flatMap((one) => (one.role === 'tool' ? [one.errorDetail?.code] : []));
        expect(codes).toContain(way.endsWith('branch') ? 'aborted' : 'tool_outcome_unknown');
        await forget(place.store);
      });
    }

    it('fails a run that has no message to answer, and goes on with the next message', async (world) => {
      const { model, place } = open(world);
      const { store, process } = place;
      await runOnce(process, root, 's');
      await store.truncateMessages('s', 0);
      await store.updateStatus('s', 'failed');
      const handle = await process.executor.retry(root, 's');
      expect(await handle.result()).toMatchObject({
        status: 'failed',
        error: { code: 'provider_transcript_invalid' },
      });
      expect(model.calls).toHaveLength(1);
      expect(await runOnce(process, root, 's')).toEqual(DONE);
    });
  });
}

function open(world: World): { model: ReturnType<typeof script>; place: Place } {
  const last = (content: string | undefined) => (content === 'look' ? call('look') : say('done'));
  const answers = Array.from(
    { length: 6 },
    () =>
      ({ messages }: { messages: readonly Message[] }) =>
        last(messages.at(-1)?.content),
  );
  const model = script({ root: answers });
  const sessions = world.storeOf(rootRef('s'));
  const store = createStateStoreFacade({ sessions, index: world.index });
  return { model, place: { store, process: world.process({ model, agents: [root] }) } };
}

/** What was imported stays as it is: the checks of what the engine wrote would find it. */
async function forget(store: SessionStateStore): Promise<void> {
  for (const sessionId of ['s', 'branch']) {
    if (await store.sessionExists(sessionId)) await store.deleteSession(sessionId);
  }
}
