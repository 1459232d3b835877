// If this fails: a sub-agent whose database is down keeps its tree from being stopped, superseded or taken over, or is left
// running when the database is back.
import { expect } from 'vitest';
import { LEASE_MS } from './process.ts';
import { say, timesAsked } from './script.ts';
import {
  answerFor,
  askingChildren,
  comesBack,
  expectPairs,
  referenceTo,
  timeGoesBy,
  workingChild,
} from './unreachable-kit.ts';
import { until } from './waiting.ts';
import { patiently, resumeOnce, runOnce, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const CHILD = 's-sub-1-0';

export function unreachableStops(it: Scenario): void {
  it.apart('CHLD-10 does not keep an abort, and is closed when it is back', async (world) => {
    const { root, model } = askingChildren(1);
    const down = new Set<string>();
    const process = world.process({ model, agents: [root], down });
    await runOnce(process, root, 's');
    await runOnce(process, root, 'other');
    down.add(CHILD);
    for (const id of ['s', 'other'])
      expect(await process.executor.abort(id)).toEqual({ status: 'aborted' });
    expect(await world.session('s')).toMatchObject({ status: 'failed' });
    expect(await referenceTo(world, 's', CHILD)).toMatchObject({ state: 'closing' });
    for (const id of ['s-sub-1-1', 'other-sub-1-0', 'other-sub-1-1'])
      expect(await world.session(id)).toMatchObject({ closed: true });
    await comesBack(world, process, down);
    expect(await world.session(CHILD)).toMatchObject({ status: 'failed', closed: true });
    expect((await world.calls('s')).map((row) => row.state)).toEqual(['settled', 'settled']);
    await expectPairs(world, 's', 2);
  });

  it.apart('CHLD-10 does not keep an abort while it works', async (world) => {
    const { held, root, model } = workingChild();
    const down = new Set<string>();
    const process = world.process({ model, agents: [root], down });
    const ended = runOnce(process, root, 's');
    await held.reached;
    down.add(CHILD);
    const other = world.process({ model, agents: [root], down });
    expect(await other.executor.abort('s', 'enough')).toEqual({ status: 'aborted' });
    expect(await patiently(world, ended)).toMatchObject({ error: { code: 'run_aborted' } });
    held.open();
    await comesBack(world, process, down);
    expect(await world.session(CHILD)).toMatchObject({ status: 'failed', closed: true });
    await expectPairs(world, 's', 2);
  });

  it.apart(
    'CHLD-10 does not keep an interrupt while it works, and goes on later',
    async (world) => {
      const { held, root, model } = workingChild();
      const down = new Set<string>();
      const process = world.process({ model, agents: [root], down });
      const ended = runOnce(process, root, 's');
      await held.reached;
      down.add(CHILD);
      expect(await process.executor.interrupt('s')).toMatchObject({ status: 'requested' });
      expect(await patiently(world, ended)).toEqual({ status: 'interrupted' });
      expect(await referenceTo(world, 's', CHILD)).toMatchObject({ state: 'live' });
      down.clear();
      held.open();
      await world.clock.skip(LEASE_MS + 1);
      const fresh = world.process({ model, agents: [root] });
      expect(await patiently(world, resumeOnce(fresh, 's'))).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"said":"late"}', '{"said":"quick"}']);
      expect(await world.runs(CHILD)).toHaveLength(1);
      expect(timesAsked(model, 'working')).toBe(2);
    },
  );

  it.apart('CHLD-10 does not keep an interrupt of a session that waits', async (world) => {
    const { root, model } = askingChildren(1);
    const down = new Set<string>();
    const process = world.process({ model, agents: [root], down });
    await runOnce(process, root, 's');
    down.add(CHILD);
    expect(await process.executor.interrupt('s')).toMatchObject({ status: 'interrupted' });
    expect((await world.session('s')).status).toBe('interrupted');
    const ended = resumeOnce(process, 's');
    await timeGoesBy(world);
    down.clear();
    expect(await patiently(world, ended)).toEqual(DONE);
    expect(await world.results(CHILD)).toHaveLength(2);
  });

  it.apart(
    'CHLD-14 does not keep a new message, and gets what was answered before',
    async (world) => {
      const { root, model } = askingChildren(1, [say('another way')]);
      const down = new Set<string>();
      const process = world.process({ model, agents: [root], down });
      await runOnce(process, root, 's');
      await answerFor(world, process, CHILD, 'red');
      down.add(CHILD);
      const turn = await process.executor.execute(root, 'forget it', {
        sessionId: 's',
        onMessageWhileSuspended: 'supersede',
      });
      expect(await turn.result()).toEqual({ status: 'completed', output: 'another way' });
      await comesBack(world, process, down);
      expect(await world.session(CHILD)).toMatchObject({ status: 'failed', closed: true });
      expect(await world.results(CHILD)).toEqual(['red']);
      expect(timesAsked(model, 'child')).toBe(2);
    },
  );

  it.apart('CHLD-14 does not keep an interrupt while an answer waits for it', async (world) => {
    const { root, model } = askingChildren(2);
    const down = new Set<string>();
    const process = world.process({ model, agents: [root], down });
    await runOnce(process, root, 's');
    for (const n of [0, 1]) await answerFor(world, process, `${CHILD}-sub-1-${n}`, `answer ${n}`);
    down.add(`${CHILD}-sub-1-0`);
    const ended = resumeOnce(process, 's');
    await until('the other has ended', () => timesAsked(model, 'child') === 3);
    expect(await process.executor.interrupt('s')).toMatchObject({ status: 'requested' });
    expect(await patiently(world, ended)).toEqual({ status: 'interrupted' });
    down.clear();
    expect(await patiently(world, resumeOnce(process, 's'))).toEqual(DONE);
    const results = (await world.results(CHILD)).slice(0, 2);
    expect(results).toEqual(['{"said":"answer 0"}', '{"said":"answer 1"}']);
    expect(timesAsked(model, 'child')).toBe(4);
  });

  it.apart('CHLD-02 does not keep a sweep from the children of others', async (world) => {
    const { root, model } = askingChildren(2);
    const down = new Set<string>();
    const process = world.process({ model, agents: [root], down });
    for (const id of ['a', 'b']) await runOnce(process, root, id);
    for (const id of ['a', 'b']) for (const n of [0, 1]) down.add(`${id}-sub-1-0-sub-1-${n}`);
    for (const id of ['a', 'b']) await process.executor.abort(id);
    down.delete('a-sub-1-0-sub-1-1');
    down.delete('b-sub-1-0-sub-1-0');
    down.delete('b-sub-1-0-sub-1-1');
    await process.executor.sweep();
    for (const id of ['a-sub-1-0-sub-1-1', 'b-sub-1-0-sub-1-0', 'b-sub-1-0-sub-1-1'])
      expect(await world.session(id)).toMatchObject({ closed: true });
    expect(await world.session('a-sub-1-0-sub-1-0')).toMatchObject({ closed: false });
    await comesBack(world, process, down);
    expect((await world.sessions()).map((one) => one.status)).toEqual(Array(8).fill('failed'));
  });

  it.apart('RECV-07 does not keep its parent from being taken over', async (world) => {
    const { held, root, model } = workingChild();
    const down = new Set<string>();
    const first = world.process({ model, agents: [root] });
    await first.executor.execute(root, 'go', { sessionId: 's' });
    await held.reached;
    first.kill();
    held.open();
    down.add(CHILD);
    await world.clock.skip(LEASE_MS + 1);
    const second = world.process({ model, agents: [root], down });
    expect(await second.executor.sweep()).toMatchObject({ recovered: 1 });
    await until('it has ended', async () => {
      await world.clock.skip(200);
      return (await world.session('s')).status === 'completed';
    });
    const [lost, other] = (await world.messages('s')).filter((one) => one.role === 'tool');
    expect(lost).toMatchObject({ errorDetail: { code: 'subagent_dispatch_failed' } });
    expect(other).toMatchObject({ content: '{"said":"quick"}' });
    await comesBack(world, second, down);
    expect(await world.session(CHILD)).toMatchObject({ status: 'failed', closed: true });
    await expectPairs(world, 's', 2);
  });

  it.apart('RECV-07 gets its answer from whoever takes its parent over', async (world) => {
    const { root, model } = askingChildren(2);
    const down = new Set<string>();
    const first = world.process({ model, agents: [root], down });
    await runOnce(first, root, 's');
    const lost = `${CHILD}-sub-1-0`;
    await answerFor(world, first, lost, 'red');
    down.add(lost);
    await first.executor.resume('s');
    await until('it waits for it', async () => {
      const { calls } = await world.step(CHILD);
      return calls.some((row) => row.state === 'answered');
    });
    first.kill();
    await world.clock.skip(LEASE_MS + 1);
    const second = world.process({ model, agents: [root], down });
    expect(await second.executor.sweep()).toMatchObject({ recovered: 1 });
    await timeGoesBy(world);
    expect(await world.session('s')).toMatchObject({ status: 'running' });
    down.clear();
    await until('it waits for the other one', async () =>
      (await world.session('s')).status.startsWith('suspended_'),
    );
    expect(await world.results(lost)).toContain('red');
    await answerFor(world, second, `${CHILD}-sub-1-1`, 'blue');
    expect(await patiently(world, resumeOnce(second, 's'))).toEqual(DONE);
    const results = (await world.results(CHILD)).slice(0, 2);
    expect(results).toEqual(['{"said":"red"}', '{"said":"blue"}']);
    expect(timesAsked(model, 'child')).toBe(4);
  });
}
