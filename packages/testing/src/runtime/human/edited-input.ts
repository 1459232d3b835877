// If this fails: the model is told that an edited call ran although it did not, or is not told with which input it ran.
import type { FunctionModel, ToolMessage } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, fields, gatedTool } from '../definitions.ts';
import { LEASE_MS } from '../process.ts';
import { call, say, script, use } from '../script.ts';
import { barrier } from '../waiting.ts';
import { resumeOnce, runOnce, type Scenario, type World } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const EDITED = { to: 'ann', text: 'hi' };
const MAY_HAVE_RUN = { executedInput: EDITED, errorDetail: { code: 'tool_outcome_unknown' } };

function model(): FunctionModel {
  const proposed = use('send', { to: 'bob', text: 'hi' });
  return script({ root: [call(proposed), say('done'), say('done')] });
}

type Running = Parameters<World['process']>[0];

/** A session whose only call was approved with this input. */
async function approved(world: World, running: Running, input: object): Promise<void> {
  const [root] = running.agents;
  if (root) await runOnce(world.process(running), root, 's');
  const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'send' } as const;
  const submission = { ...approval, approved: true, input: input as typeof EDITED };
  const { executor } = world.process(running);
  expect(await executor.submitToolResult(submission)).toEqual({ status: 'accepted' });
}

async function stored(world: World): Promise<ToolMessage | undefined> {
  return (await world.messages('s')).find((one) => one.role === 'tool');
}

function shownTo(asked: FunctionModel): string {
  return asked.calls.at(-1)?.messages.find((one) => one.role === 'tool')?.content ?? '';
}

export function editedInput(it: Scenario): void {
  const send = gatedTool('send', () => 'sent');
  const root = agent('root', [send]);

  describe('edited input', () => {
    for (const stop of ['death', 'abort'] as const) {
      it(`APPR-01 may have been what a tool ran with, when the ${stop} of its run left that open`, async (world) => {
        const held = barrier();
        const slow = agent('root', [gatedTool('send', () => held.pass())]);
        const running = { model: model(), agents: [slow] };
        await approved(world, running, EDITED);
        const first = world.process(running);
        await first.executor.resume('s');
        await held.reached;
        const second = world.process(running);
        if (stop === 'death') {
          first.kill();
          await world.clock.skip(LEASE_MS + 1);
          held.open();
          expect(await resumeOnce(second, 's')).toEqual(DONE);
        } else {
          await second.executor.abort('s');
          held.open();
          expect(await runOnce(second, slow, 's', 'well?')).toEqual(DONE);
        }
        expect(await stored(world)).toMatchObject(MAY_HAVE_RUN);
        expect(shownTo(running.model)).toContain('It may have run with {"to":"ann","text":"hi"}.');
      });
    }

    it('APPR-01 is told, as not run, when a message came instead of the run', async (world) => {
      const running = { model: model(), agents: [root] };
      await approved(world, running, EDITED);
      const { executor } = world.process(running);
      const supersede = { onMessageWhileSuspended: 'supersede' } as const;
      const handle = await executor.execute(root, 'stop', { sessionId: 's', ...supersede });
      expect(await handle.result()).toEqual(DONE);
      await expectNotRun(world, running.model, 'tool_not_executed');
    });

    it('APPR-01 is told, as not run, when nobody could check it and the tool does not take it', async (world) => {
      const running = { model: model(), agents: [root] };
      await runOnce(world.process(running), root, 's');
      await approved(world, { ...running, agents: [] }, EDITED);
      const stricter = gatedTool('send', () => 'sent', { inputSchema: fields({ cc: 'string' }) });
      const agents = [agent('root', [stricter])];
      expect(await resumeOnce(world.process({ ...running, agents }), 's')).toEqual(DONE);
      await expectNotRun(world, running.model, 'tool_input_invalid');
      const where = 'Invalid input for send: input: cc must be a string';
      expect(shownTo(running.model)).toContain(where);
    });

    it('APPR-01 is what runs, although the schema of the tool has changed since it was checked', async (world) => {
      const running = { model: model(), agents: [root] };
      await approved(world, running, EDITED);
      const stricter = gatedTool('send', (input) => input, {
        inputSchema: fields({ cc: 'string' }),
      });
      const agents = [agent('root', [stricter])];
      expect(await resumeOnce(world.process({ ...running, agents }), 's')).toEqual(DONE);
      expect(await stored(world)).toMatchObject({
        content: JSON.stringify(EDITED),
        executedInput: EDITED,
      });
    });

    it('APPR-01 is told, as not run, when the tool is gone', async (world) => {
      const running = { model: model(), agents: [root] };
      await approved(world, running, EDITED);
      const agents = [agent('root', [])];
      expect(await resumeOnce(world.process({ ...running, agents }), 's')).toEqual(DONE);
      await expectNotRun(world, running.model, 'tool_not_found');
    });

    it('APPR-01 is none where it says the same as the proposed one', async (world) => {
      const running = { model: model(), agents: [root] };
      await approved(world, running, { text: 'hi', to: 'bob' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      const result = await stored(world);
      expect(result).not.toHaveProperty('executedInput');
      expect(result).not.toHaveProperty('editedInput');
      expect(shownTo(running.model)).toBe('sent');
    });
  });
}

async function expectNotRun(world: World, asked: FunctionModel, code: string): Promise<void> {
  const result = await stored(world);
  expect(result).toMatchObject({ editedInput: EDITED, errorDetail: { code } });
  expect(result).not.toHaveProperty('executedInput');
  expect(shownTo(asked)).toContain(
    'edited the input to {"to":"ann","text":"hi"} before approving. It was not run.',
  );
}
