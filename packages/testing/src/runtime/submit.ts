// If this fails: a person's answer is lost, counted twice, or given to the wrong call.
import { InvalidRequestError, InvalidResultError, NotRootSessionError } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  fields,
  gatedTool,
  helper,
  serverTool,
  subAgent,
} from './definitions.ts';
import { onFirst, opensCalls } from './plan-kinds.ts';
import { call, finish, say, script, use } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const ACCEPTED = { status: 'accepted' };
const COMPLETED = { status: 'already_completed' };

export function submit(it: Scenario): void {
  const picking = agent('root', [clientTool('pick')]);
  const pickOnce = { root: [call('pick'), say('done')] };

  describe('submit', () => {
    it.race('SUB-01 accepts one of sixty answers from two processes', async (world) => {
      const model = script(pickOnce);
      const a = world.process({ model, agents: [picking] });
      const b = world.process({ model, agents: [picking] });
      await runOnce(a, picking, 's');
      const same = Array.from({ length: 50 }, (_, n) =>
        answer(n % 2 ? a : b, 's', 'pick', 'first'),
      );
      const others = Array.from({ length: 10 }, (_, n) => answer(n % 2 ? a : b, 's', 'pick', n));
      const outcomes = await Promise.all([...same, ...others]);
      expect(outcomes.filter((one) => one.status === 'accepted')).toHaveLength(1);
      expect(outcomes.filter((one) => one.status === 'already_completed')).toHaveLength(59);
      const stored = (await world.calls('s'))[0]?.answer;
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(await answer(a, 's', 'pick', 'later')).toEqual(COMPLETED);
      const value = stored?.kind === 'result' ? stored.value : null;
      expect(await world.results('s')).toEqual([value === 'first' ? value : JSON.stringify(value)]);
    });

    it.race('SUB-02 announces a call only when an answer would be accepted', async (world) => {
      const held = barrier();
      const before = onFirst(opensCalls, () => held.pass());
      const process = world.process({ model: script(pickOnce), agents: [picking], before });
      const ended = runOnce(process, picking, 's');
      await held.reached;
      const refused = { status: 'unknown_tool_call', reason: 'call_not_found' };
      expect(await answer(process, 's', 'pick', 'early')).toEqual(refused);
      expect(await world.chunksOf('s', 'tool_start')).toEqual([]);
      held.open();
      await until(
        'it is announced',
        async () => (await world.chunksOf('s', 'tool_start')).length > 0,
      );
      expect(await answer(process, 's', 'pick', 'in time')).toEqual(ACCEPTED);
      if ('suspended' in (await ended)) await resumeOnce(process, 's');
      expect(await world.session('s')).toMatchObject({ status: 'completed' });
      expect(await world.results('s')).toEqual(['in time']);
    });

    it.race(
      'SUB-02 announces a call of a child only when its root accepts an answer',
      async (world) => {
        const child = helper('child', [clientTool('pick')]);
        const root = agent('root', [subAgent(child), serverTool('wait', () => held.pass())]);
        const held = barrier();
        const model = script({
          root: [call('subagent__child', 'wait'), say('done')],
          child: [call('pick'), finish('here')],
        });
        const process = world.process({ model, agents: [root] });
        const ended = runOnce(process, root, 's');
        await until('it is announced', async () =>
          (await world.chunksOf('s', 'tool_start')).some((chunk) => chunk.execute === 'client'),
        );
        const [open] = (await process.executor.listOpenCalls({ rootSessionId: 's' })).items;
        expect(await answer(process, 's', open?.toolCallId as string, 'red')).toEqual(ACCEPTED);
        held.open();
        expect(await ended, 'taken in by the run that was under way').toEqual(DONE);
      },
    );

    it('SUB-03 refuses a child id and names the root, which takes the answer', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      const [pick] = waiting(await runOnce(process, root, 's'));
      const [childId] = (await world.calls('s')).map((row) => row.ownerSessionId);
      const refused = answer(process, childId as string, pick as string, 'red');
      await expect(refused).rejects.toThrow(NotRootSessionError);
      await expect(refused).rejects.toMatchObject({ rootId: 's' });
      expect(await answer(process, 's', pick as string, 'red')).toEqual(ACCEPTED);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results(childId as string)).toEqual(['red', '{"said":"here"}']);
    });

    it('SUB-07 keeps an answer that comes while a sibling still runs', async (world) => {
      const held = barrier();
      const root = agent('root', [clientTool('pick'), serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('pick', 'slow'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      expect(await answer(process, 's', 'pick', 'red')).toEqual(ACCEPTED);
      held.open();
      expect(await ended, 'without a resume').toEqual(DONE);
      expect(await world.results('s')).toEqual(['red', 'null']);
    });

    it('SUB-09 tells calls apart that got the same id', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child), clientTool('pick')]);
      const model = script({
        root: [
          call(use('pick', {}, 'call_0'), 'subagent__child'),
          call(use('pick', {}, 'call_0')),
          say('done'),
        ],
        child: [call(use('pick', {}, 'call_0')), finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      const ids = waiting(await runOnce(process, root, 's'));
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) await answer(process, 's', id, id === 'call_0' ? 'root' : 'child');
      const [again] = waiting(await resumeOnce(process, 's'));
      await answer(process, 's', again as string, 'root again');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['root', '{"said":"here"}', 'root again']);
    });

    it('gives a call an id that can be answered, whatever the provider calls it', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [clientTool('pick'), subAgent(child)]);
      const odd = ['', 'x'.repeat(300), 'a\u0000b\n', `${'y'.repeat(199)}\u{1F600}`, '\uD800'];
      const picks = odd.map((id) => use('pick', {}, id));
      const model = script({
        root: [call(...picks, 'subagent__child'), say('done')],
        child: [call(...picks), finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      const ids = waiting(await runOnce(process, root, 's'));
      expect(new Set(ids).size).toBe(2 * odd.length);
      for (const id of ids) expect(await answer(process, 's', id, 'red')).toEqual(ACCEPTED);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('refuses a kind or an approval id that does not fit, and leaves the call open', async (world) => {
      const root = agent('root', [clientTool('pick'), gatedTool('send', () => 'sent')]);
      const model = script({ root: [call('pick', 'send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await expect(decide(process, 's', 'pick', true)).rejects.toThrow(InvalidRequestError);
      await expect(answer(process, 's', 'send', 'ok')).rejects.toThrow(InvalidRequestError);
      const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'send' } as const;
      const other = { ...approval, approved: true, approvalId: 'another-run::send' };
      await expect(process.executor.submitToolResult(other)).rejects.toThrow(InvalidRequestError);
      expect((await world.calls('s')).map((row) => row.state)).toEqual(['open', 'open']);
      const approvalId = (await world.chunksOf('s', 'tool_approval_request'))[0]
        ?.approvalId as string;
      const right = { ...approval, approved: true, approvalId };
      expect(await process.executor.submitToolResult(right)).toEqual(ACCEPTED);
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('checks a result against the tool, and takes an error for any call', async (world) => {
      const ran: string[] = [];
      const pick = clientTool('pick', { outputSchema: fields({ color: 'string' }) });
      const root = agent('root', [
        pick,
        clientTool('look'),
        gatedTool('send', () => ran.push('sent')),
      ]);
      const model = script({ root: [call('pick', 'look', 'send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await expect(answer(process, 's', 'pick', { color: 7 })).rejects.toThrow(InvalidResultError);
      expect(await answer(process, 's', 'pick', { color: 'red' })).toEqual(ACCEPTED);
      for (const toolCallId of ['look', 'send']) {
        const failed = {
          kind: 'client-tool-result',
          sessionId: 's',
          toolCallId,
          error: 'no',
        } as const;
        expect(await process.executor.submitToolResult(failed)).toEqual(ACCEPTED);
      }
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"color":"red"}', 'Error: no', 'Error: no']);
      expect(ran).toEqual([]);
    });

    it('IDEM-01 remembers what was answered for a day, in any process', async (world) => {
      const model = script(pickOnce);
      const first = world.process({ model, agents: [picking] });
      await runOnce(first, picking, 's');
      await answer(first, 's', 'pick', 'red');
      await resumeOnce(first, 's');
      const almostADay = 24 * 3_600_000 - 60_000;
      for (const later of [1_000, almostADay - 1_000]) {
        await world.clock.skip(later);
        const process = world.process({ model, agents: [picking] });
        await process.executor.sweep();
        expect(await answer(process, 's', 'pick', 'red')).toEqual(COMPLETED);
      }
      await world.clock.skip(120_000);
      const last = world.process({ model, agents: [picking] });
      expect(await last.executor.sweep()).toMatchObject({ purged: 1 });
      const forgotten = { status: 'unknown_tool_call', reason: 'call_not_found' };
      expect(await answer(last, 's', 'pick', 'red')).toEqual(forgotten);
      expect(await world.results('s')).toEqual(['red']);
    });

    it('knows no call of a session that does not exist', async (world) => {
      const process = world.process({ model: script(pickOnce), agents: [picking] });
      expect(await answer(process, 'nobody', 'pick', 1)).toEqual({
        status: 'unknown_tool_call',
        reason: 'session_not_found',
      });
    });
  });
}
