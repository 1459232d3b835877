// If this fails: something runs that a person refused, or runs twice, or runs with an input nobody saw.
import { InvalidResultError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, fields, gatedTool } from './definitions.ts';
import { call, say, script, use } from './script.ts';
import { decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function approvals(it: Scenario): void {
  describe('approvals', () => {
    it('APPR-01 runs an approved tool once, with the input that was shown', async (world) => {
      const ran: unknown[] = [];
      const root = agent('root', [gatedTool('send', (input) => ran.push(input))]);
      const model = script({ root: [call(use('send', { to: 'bob' })), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      expect(ran).toEqual([]);
      await decide(process, 's', 'send', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([{ to: 'bob' }]);
    });

    it('APPR-01 runs it with the input a person edited, once that is valid', async (world) => {
      const ran: unknown[] = [];
      const send = gatedTool('send', (input) => ran.push(input), {
        inputSchema: fields({ to: 'string' }),
      });
      const root = agent('root', [send]);
      const model = script({ root: [call(use('send', { to: 'bob' })), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      const approve = {
        kind: 'approval-response',
        sessionId: 's',
        toolCallId: 'send',
        approved: true,
      } as const;
      const { executor } = process;
      await expect(executor.submitToolResult({ ...approve, input: { to: 7 } })).rejects.toThrow(
        InvalidResultError,
      );
      await executor.submitToolResult({ ...approve, input: { to: 'ann' } });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([{ to: 'ann' }]);
    });

    it('APPR-02 does not run what was denied, and tells the model', async (world) => {
      const ran: unknown[] = [];
      const root = agent('root', [gatedTool('send', () => ran.push('sent'))]);
      const model = script({ root: [call('send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await decide(process, 's', 'send', false);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([]);
      expect((await world.results('s'))[0]).toContain('not approved');
    });

    it('APPR-03 asks when the rule throws, hangs or does not answer with yes or no', async (world) => {
      const rules = {
        throws: () => {
          throw new Error('no rule');
        },
        rejects: () => Promise.reject(new Error('no rule')),
        undecided: () => undefined,
        text: () => 'false',
        hangs: () => new Promise(() => {}),
      };
      const tools = Object.entries(rules).map(([name, rule]) =>
        gatedTool(name, () => 'ran', { requireApproval: rule as () => boolean }),
      );
      const free = gatedTool('free', () => 'free', { requireApproval: () => false });
      const root = agent('root', [...tools, free]);
      const names = [...Object.keys(rules), 'free'];
      const model = script({ root: [call(...names), say('done')] });
      const limits = { approvalPredicateMs: 20 };
      const process = world.process({ model, agents: [root], limits });
      const open = waiting(await runOnce(process, root, 's'));
      expect([...open].toSorted()).toEqual(Object.keys(rules).toSorted());
      for (const id of open) await decide(process, 's', id, true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('APPR-05 takes the first of two decisions', async (world) => {
      const ran: unknown[] = [];
      const root = agent('root', [gatedTool('send', () => ran.push('sent'))]);
      const model = script({ root: [call('send'), say('done')] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      await runOnce(a, root, 's');
      expect(await decide(a, 's', 'send', true)).toEqual({ status: 'accepted' });
      expect(await decide(b, 's', 'send', false)).toEqual({ status: 'already_completed' });
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(ran).toEqual(['sent']);
    });

    it('APPR-08 asks again for an equal call', async (world) => {
      const root = agent('root', [gatedTool('send', () => 'sent')]);
      const model = script({ root: [call('send'), call('send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const [first] = waiting(await runOnce(process, root, 's'));
      await decide(process, 's', first as string, true);
      const [second] = waiting(await resumeOnce(process, 's'));
      expect(second).not.toBe(first);
      await decide(process, 's', second as string, true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });
  });
}
