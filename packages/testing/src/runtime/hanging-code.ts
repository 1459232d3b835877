// If this fails: code of the application that never settles holds a run, a caller or a shutdown for ever.
import type { Schema } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, serverTool, subAgent } from './definitions.ts';
import { call, finish, say, script, timesAsked } from './script.ts';
import { barrier, type Barrier } from './waiting.ts';
import {
  answer,
  decide,
  patiently,
  resumeOnce,
  runOnce,
  type Scenario,
  type World,
} from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const INTERRUPTED = { status: 'interrupted' };
const MINUTE = 60_000;
/** Longer than any scenario: only the time of the tool, or a stop, ends the wait. */
const limits = { schemaTimeoutMs: 60 * MINUTE, approvalPredicateMs: 60 * MINUTE };

/** Takes any value; those that are meant, once the barrier is open. */
function held(at: Barrier, isMeant: (value: unknown) => boolean = () => true): Schema<never> {
  const standard = {
    version: 1 as const,
    vendor: 'helix-testing',
    jsonSchema: { input: () => ({ type: 'object' }) },
    validate: async (value: unknown) => {
      if (isMeant(value)) await at.pass();
      return { value };
    },
  };
  return { '~standard': standard } as unknown as Schema<never>;
}

export function hangingCode(it: Scenario): void {
  describe('code that never settles', () => {
    for (const schema of ['inputSchema', 'outputSchema'] as const) {
      it(`ends with the time of its tool: ${schema}`, async (world) => {
        const at = barrier();
        const slow = serverTool('slow', () => 'seen', { [schema]: held(at), timeoutMs: MINUTE });
        const root = agent('root', [slow]);
        const model = script({ root: [call('slow'), say('done')] });
        const ended = runOnce(world.process({ model, agents: [root], limits }), root, 's');
        await at.reached;
        await world.clock.skip(MINUTE);
        expect(await ended).toEqual(DONE);
        expect(await codes(world)).toEqual(['tool_timeout']);
      });

      it(`ends with an interrupt, and resume goes on: ${schema}`, async (world) => {
        const at = barrier();
        const slow = serverTool('slow', () => 'seen', { [schema]: held(at) });
        const root = agent('root', [slow]);
        const model = script({ root: [call('slow'), say('done')] });
        const process = world.process({ model, agents: [root], limits });
        const ended = runOnce(process, root, 's');
        await at.reached;
        await process.executor.interrupt('s');
        expect(await ended).toEqual(INTERRUPTED);
        at.open();
        expect(await resumeOnce(process, 's')).toEqual(DONE);
        expect(await world.results('s')).toEqual(['seen']);
      });

      it.leased(`ends with a shutdown, which gives the run back: ${schema}`, async (world) => {
        const at = barrier();
        const slow = serverTool('slow', () => 'seen', { [schema]: held(at) });
        const root = agent('root', [slow]);
        const model = script({ root: [call('slow'), say('done')] });
        const first = world.process({ model, agents: [root], limits });
        await first.executor.execute(root, 'go', { sessionId: 's' });
        await at.reached;
        const ended = first.executor.shutdown({ graceMs: 1_000 });
        await world.clock.skip(1_001);
        await ended;
        at.open();
        expect(await resumeOnce(world.process({ model, agents: [root], limits }), 's')).toEqual(
          DONE,
        );
        expect(await world.session('s')).toMatchObject({ recoveries: 0 });
      });
    }

    it('ends with an interrupt: a rule that decides about an approval', async (world) => {
      const at = barrier();
      const ran: string[] = [];
      const gated = serverTool('send', () => ran.push('sent') && 'sent', {
        requireApproval: async () => {
          await at.pass();
          return false;
        },
      });
      const root = agent('root', [gated]);
      const model = script({ root: [call('send'), say('done')] });
      const process = world.process({ model, agents: [root], limits });
      const ended = runOnce(process, root, 's');
      await at.reached;
      await process.executor.interrupt('s');
      expect(await ended).toEqual(INTERRUPTED);
      expect(ran).toEqual([]);
      at.open();
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(timesAsked(model, 'root')).toBe(3);
    });

    it('asks a person after the time of its tool: a rule that decides about an approval', async (world) => {
      const at = barrier();
      const gated = serverTool('send', () => 'sent', {
        timeoutMs: MINUTE,
        requireApproval: async () => {
          await at.pass();
          return false;
        },
      });
      const root = agent('root', [gated]);
      const model = script({ root: [call('send'), say('done')] });
      const process = world.process({ model, agents: [root], limits });
      const ended = runOnce(process, root, 's');
      await at.reached;
      await world.clock.skip(MINUTE);
      expect(await ended).toMatchObject({ status: 'suspended_client_tool' });
      at.open();
    });

    it('leaves the call open: the inputSchema that an edited input is held to', async (world) => {
      const at = barrier();
      const slow = held(at, (input) => Object.hasOwn(input as object, 'to'));
      const root = agent('root', [gatedTool('send', () => 'sent', { inputSchema: slow })]);
      const model = script({ root: [call('send'), say('done')] });
      const own = { schemaTimeoutMs: MINUTE };
      const process = world.process({ model, agents: [root], limits: own });
      await runOnce(process, root, 's');
      const submitted = process.executor.submitToolResult({
        kind: 'approval-response',
        sessionId: 's',
        toolCallId: 'send',
        approved: true,
        input: { to: 'ann' },
      });
      const refused = expect(submitted).rejects.toMatchObject({ code: 'schema_timeout' });
      await at.reached;
      await world.clock.skip(MINUTE);
      await refused;
      at.open();
      expect(await decide(process, 's', 'send', true)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('ends with an interrupt: a hook before a tool', async (world) => {
      const at = barrier();
      const root = agent('root', [serverTool('look', () => 'seen')], {
        hooks: { beforeTool: () => at.pass() },
      });
      const model = script({ root: [call('look'), say('done')] });
      const own = { ...limits, hookTimeoutMs: 60 * MINUTE };
      const process = world.process({ model, agents: [root], limits: own });
      const ended = runOnce(process, root, 's');
      await at.reached;
      await process.executor.interrupt('s');
      expect(await ended).toEqual(INTERRUPTED);
      at.open();
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    for (const name of ['onAgentStart', 'onMessage'] as const) {
      it.leased(
        `is not waited for longer than a shutdown takes: the hook ${name}`,
        async (world) => {
          const at = barrier();
          const root = agent('root', [], { hooks: { [name]: () => at.pass() } });
          const model = script({ root: [say('done')] });
          const own = { ...limits, hookTimeoutMs: 60 * MINUTE };
          const { executor } = world.process({ model, agents: [root], limits: own });
          const handle = await executor.execute(root, 'go', { sessionId: 's' });
          await at.reached;
          const ended = executor.shutdown({ graceMs: 1_000 });
          await world.clock.skip(1_000);
          await world.clock.skip(5_000);
          await ended;
          at.open();
          await Promise.allSettled([handle.result()]);
        },
      );
    }

    it('is refused after a while: a stateSchema, before a session is stored', async (world) => {
      const root = agent('root', [], { stateSchema: held(barrier()) });
      const model = script({ root: [say('done')] });
      const own = { schemaTimeoutMs: 20 };
      const { executor } = world.process({ model, agents: [root], limits: own });
      const started = executor.execute(root, 'go', { sessionId: 's' });
      await expect(started).rejects.toMatchObject({ code: 'schema_timeout' });
      expect(await world.sessions()).toEqual([]);
    });

    it('is a sub-agent that does not start: its stateSchema', async (world) => {
      const at = barrier();
      const child = helper('child', [], { stateSchema: held(at) });
      const root = agent('root', [subAgent(child)]);
      const model = script({ root: [call('subagent__child'), say('done')], child: [finish('x')] });
      const own = { schemaTimeoutMs: 50 };
      const ended = runOnce(world.process({ model, agents: [root], limits: own }), root, 's');
      await at.reached;
      expect(await patiently(world, ended)).toEqual(DONE);
      expect(await codes(world)).toEqual(['subagent_dispatch_failed']);
    });

    it('leaves the call open: the outputSchema of a client tool', async (world) => {
      const at = barrier();
      const pick = clientTool('pick', { outputSchema: held(at) });
      const root = agent('root', [pick]);
      const model = script({ root: [call('pick'), say('done')] });
      const own = { schemaTimeoutMs: MINUTE };
      const process = world.process({ model, agents: [root], limits: own });
      await runOnce(process, root, 's');
      const submitted = answer(process, 's', 'pick', 'red');
      const refused = expect(submitted).rejects.toMatchObject({ code: 'schema_timeout' });
      await at.reached;
      await world.clock.skip(MINUTE);
      await refused;
      at.open();
      expect(await answer(process, 's', 'pick', 'red')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });
  });
}

/** Error codes of the tool messages of session `s`; null for a success. */
async function codes(world: World): Promise<(string | null)[]> {
  const messages = await world.messages('s');
  return messages.flatMap((one) => (one.role === 'tool' ? [one.errorDetail?.code ?? null] : []));
}
