// If this fails: something a person refused runs after all, one approval lets two calls through, or a decision meant for
// another call counts.
import { InvalidRequestError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, gatedTool, serverTool } from '../definitions.ts';
import { keepsResult, onFirst, records } from '../plan-kinds.ts';
import { LEASE_MS, type ProcessOptions } from '../process.ts';
import { call, say, script, timesAsked, use } from '../script.ts';
import { until } from '../waiting.ts';
import { decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const MINUTE = 60_000;
const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'send' } as const;

const sendOnce = { root: [call('send'), say('done')] };

/** An agent that sends what a person approved, and what it sent. */
function sender(): { readonly root: ReturnType<typeof agent>; readonly ran: string[] } {
  const ran: string[] = [];
  const send = gatedTool(
    'send',
    () => {
      ran.push('send');
      return 'sent';
    },
    { approvalTimeoutMs: 10 * MINUTE },
  );
  return { root: agent('root', [send]), ran };
}

export function decisionsStand(it: Scenario): void {
  describe('decisions', () => {
    const ends = {
      denied: ['tool_approval_denied', 'Tool call was not approved by the user: too dear'],
      expired: ['client_tool_timeout', 'in time'],
      cancelled: ['aborted', 'aborted'],
    } as const;
    for (const [way, [code, text]] of Object.entries(ends)) {
      it(`APPR-02 runs nothing that was ${way}, not even when the rule is gone by then`, async (world) => {
        const { root, ran } = sender();
        const model = script(sendOnce);
        await runOnce(world.process({ model, agents: [root] }), root, 's');
        const { executor } = world.process({ model, agents: [root] });
        if (way === 'denied')
          await executor.submitToolResult({ ...approval, approved: false, reason: 'too dear' });
        else if (way === 'expired') await world.clock.skip(10 * MINUTE + 1);
        else await executor.interrupt('s');
        const open = agent('root', [serverTool('send', () => ran.push('send'))]);
        expect(await resumeOnce(world.process({ model, agents: [open] }), 's')).toEqual(DONE);
        expect(ran).toEqual([]);
        expect(timesAsked(model, 'root')).toBe(2);
        const [, , result] = await world.messages('s');
        expect(result).toMatchObject({ success: false, errorDetail: { code } });
        expect(result?.content).toContain(text);
      });
    }

    it.race(
      'APPR-05 runs once for two tabs and two processes, whatever the others decide',
      async (world) => {
        const { root, ran } = sender();
        const model = script(sendOnce);
        await runOnce(world.process({ model, agents: [root] }), root, 's');
        const decisions = [true, true, false, true, false, true];
        const said = await Promise.all(
          decisions.map((yes) =>
            decide(world.process({ model, agents: [root] }), 's', 'send', yes),
          ),
        );
        expect(said.filter((one) => one.status === 'accepted')).toHaveLength(1);
        expect(said.filter((one) => one.status === 'already_completed')).toHaveLength(5);
        const yes = decisions[said.findIndex((one) => one.status === 'accepted')];
        const tried = await Promise.allSettled(
          [1, 2].map(() => resumeOnce(world.process({ model, agents: [root] }), 's')),
        );
        expect(tried.filter((one) => one.status === 'fulfilled').length).toBeGreaterThan(0);
        await until('it is done', async () => (await world.session('s')).status === 'completed');
        expect(ran).toEqual(yes ? ['send'] : []);
        expect(await world.results('s')).toHaveLength(1);
      },
    );

    it('APPR-07 takes an approval id of this call only, or none', async (world) => {
      const { root, ran } = sender();
      const model = script({ root: [call('send'), call(use('send', {}, 'again')), say('done')] });
      const running: ProcessOptions = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      await runOnce(world.process(running), root, 'other');
      const { executor } = world.process(running);
      const idOf = async (sessionId: string, toolCallId: string): Promise<string> =>
        (await world.calls(sessionId)).find((row) => row.toolCallId === toolCallId)
          ?.approvalId as string;
      const foreign = await idOf('other', 'send');
      const first = await idOf('s', 'send');
      expect(first).not.toBe(foreign);
      const refused = executor.submitToolResult({
        ...approval,
        approved: true,
        approvalId: foreign,
      });
      await expect(refused).rejects.toThrow(InvalidRequestError);
      expect(ran).toEqual([]);
      const right = { ...approval, approved: true, approvalId: first };
      expect(await executor.submitToolResult(right)).toEqual({ status: 'accepted' });
      expect(waiting(await resumeOnce(world.process(running), 's'))).toEqual(['again']);
      const stale = { ...approval, toolCallId: 'again', approved: true, approvalId: first };
      await expect(executor.submitToolResult(stale)).rejects.toThrow(InvalidRequestError);
      const none = { ...approval, toolCallId: 'again', approved: true };
      expect(await executor.submitToolResult(none)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual(['send', 'send']);
    });

    it('APPR-08 asks again for an equal call, in the same answer and in a later one', async (world) => {
      const { root, ran } = sender();
      const equal = [use('send', { to: 'bob' }, 'a'), use('send', { to: 'bob' }, 'b')];
      const model = script({
        root: [call(...equal), call(use('send', { to: 'bob' }, 'c')), say('done')],
      });
      const running: ProcessOptions = { model, agents: [root] };
      expect(waiting(await runOnce(world.process(running), root, 's'))).toEqual(['a', 'b']);
      await decide(world.process(running), 's', 'a', true);
      expect(waiting(await resumeOnce(world.process(running), 's'))).toEqual(['b']);
      expect(ran).toHaveLength(1);
      await decide(world.process(running), 's', 'b', false);
      expect(waiting(await resumeOnce(world.process(running), 's'))).toEqual(['c']);
      expect(ran).toHaveLength(1);
      await decide(world.process(running), 's', 'c', true);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toHaveLength(2);
    });

    for (const { execution, died, made, code } of DEATHS) {
      it(`APPR-10 keeps the word of \`${execution}\` when its process died ${died}`, async (world) => {
        const paid: string[] = [];
        // `once` is the word of the gate, also of one that a tool got after it was made.
        const told = execution === 'retry' ? { execution } : {};
        const pay = serverTool('pay', () => paid.push('paid'), told);
        const payer = agent('root', [{ ...pay, requireApproval: true }]);
        const model = script({ root: [call('pay'), say('done')] });
        const running: ProcessOptions = { model, agents: [payer] };
        await runOnce(world.process(running), payer, 's');
        await decide(world.process(running), 's', 'pay', true);
        let dead = false;
        const die = onFirst(died.endsWith('start') ? records('start') : keepsResult(), () => {
          dead = true;
          dying.kill();
        });
        const dying = world.process({
          ...running,
          ...(died.startsWith('after') ? { after: die } : { before: die }),
        });
        void dying.executor.resume('s');
        await until('it is dead', () => dead);
        await world.clock.skip(LEASE_MS + 1);
        expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
        expect(paid).toHaveLength(made);
        const [, , result] = await world.messages('s');
        const counted = (await world.usage.getEntries('s')).filter((one) => one.kind === 'tool');
        expect(counted).toMatchObject([{ source: { name: 'pay' }, data: { success: !code } }]);
        if (code) expect(result).toMatchObject({ errorDetail: { code } });
        else expect(result).toMatchObject({ success: true });
      });
    }
  });
}

const DEATHS = [
  { execution: 'once', died: 'before its start', made: 1, code: null },
  { execution: 'once', died: 'after its start', made: 0, code: 'tool_outcome_unknown' },
  {
    execution: 'once',
    died: 'before its result was recorded',
    made: 1,
    code: 'tool_outcome_unknown',
  },
  { execution: 'once', died: 'after its result was recorded', made: 1, code: null },
  { execution: 'retry', died: 'before its result was recorded', made: 2, code: null },
  { execution: 'retry', died: 'after its result was recorded', made: 1, code: null },
] as const;
