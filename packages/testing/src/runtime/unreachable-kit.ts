// Trees of which one sub-agent cannot be reached, and what is asked of them.
import type { AgentConfig, LLMToolCall } from '@helix-agents/core';
import { expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import type { Process } from './process.ts';
import { call, finish, say, script, use, type Answer } from './script.ts';
import { barrier } from './waiting.ts';
import { answer, type World } from './world.ts';

const THREE = [1, 2, 3].map((n) => use('subagent__child', { n }, `call-${n}`));

export interface Tree {
  readonly root: AgentConfig;
  readonly model: ReturnType<typeof script>;
}

/** Three sub-agents that end at once, below the root or one further down. */
export function threeChildren(depth = 1): Tree {
  const answers = { child: [finish('here')] };
  return treeOf(helper('child'), depth, answers, THREE, []);
}

/** Two sub-agents that ask, below the root or one further down. */
export function askingChildren(depth: number, further: readonly Answer[] = []): Tree {
  const child = helper('child', [clientTool('pick', { clientToolTimeoutMs: 'never' })]);
  const said: Answer = ({ messages }) =>
    finish(messages.find((one) => one.role === 'tool')?.content ?? '');
  return treeOf(child, depth, { child: [call('pick'), said] }, THREE.slice(1), further);
}

function treeOf(
  child: AgentConfig,
  depth: number,
  answers: { readonly [name: string]: readonly Answer[] },
  calls: readonly LLMToolCall[],
  further: readonly Answer[],
): Tree {
  if (depth === 1) {
    const root = agent('root', [subAgent(child)]);
    const last = further.length > 0 ? further : [say('done')];
    return { root, model: script({ ...answers, root: [call(...calls), ...last] }) };
  }
  const root = agent('root', [subAgent(helper('middle', [subAgent(child)]))]);
  const middle = [call(...calls), finish('middle')];
  return {
    root,
    model: script({ ...answers, middle, root: [call('subagent__middle'), say('done')] }),
  };
}

/** A sub-agent that works until it is let go on, and one that is done at once. */
export function workingChild(): Tree & { held: ReturnType<typeof barrier>; ran: string[] } {
  const held = barrier();
  const ran: string[] = [];
  const work = serverTool('work', async () => {
    ran.push('work');
    await held.pass();
    return 'worked';
  });
  const root = agent('root', [subAgent(helper('working', [work])), subAgent(helper('quick'))]);
  const model = script({
    root: [call('subagent__working', 'subagent__quick'), say('done')],
    working: [call('work'), finish('late')],
    quick: [finish('quick')],
  });
  return { held, ran, root, model };
}

/** Far more than an operation that fails is tried again for. */
export async function timeGoesBy(world: World): Promise<void> {
  for (let n = 0; n < 50; n += 1) await world.clock.skip(200);
}

/** What a sweep could not do it leaves out for a while. */
export async function comesBack(world: World, process: Process, down: Set<string>): Promise<void> {
  await process.executor.sweep();
  down.clear();
  await world.clock.skip(10 * 60_000);
  await process.executor.sweep();
}

export async function referenceTo(world: World, parent: string, child: string): Promise<unknown> {
  const session = await world.session(parent);
  const references = await world.storeOf(session).readReferences(session);
  return references.find((row) => row.subSessionId === child);
}

/** The stream has one start and one end for each child that began. */
export async function expectPairs(world: World, rootId: string, count: number): Promise<void> {
  for (const type of ['subagent_start', 'subagent_end'] as const) {
    const said = (await world.chunksOf(rootId, type)).map((one) => one.subSessionId);
    expect(said, type).toHaveLength(count);
  }
}

/** Answers what that sub-agent asks. */
export async function answerFor(
  world: World,
  process: Process,
  owner: string,
  value: string,
): Promise<unknown> {
  const calls = await world.calls('s');
  const asked = calls.find((row) => row.ownerSessionId === owner && row.state === 'open');
  return answer(process, 's', asked?.toolCallId as string, value);
}
