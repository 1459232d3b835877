// If this fails: a message that the browser sends twice (a lost connection, a double click) is stored twice, or stops its
// own answer.
import { describe, expect, it } from 'vitest';
import { handleChatStream, type ChatDependencies } from '../src/index.ts';
import { assistant, calls, text } from './support/agents.ts';
import { createWorld, type World } from './support/world.ts';

/** Every read of the handler takes a turn of the event loop, so that requests at once really interleave. */
function interleaving({ deps }: World): ChatDependencies {
  const waiting = <T extends object>(target: T, own: object = {}): T =>
    new Proxy(target, {
      get(_, name): unknown {
        const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await new Promise((resolve) => void setImmediate(resolve));
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const { stateStore } = deps;
  const sessions = waiting(stateStore.sessions);
  return { ...deps, stateStore: waiting(stateStore, { sessions }) };
}

type Trigger = 'submit-message' | 'regenerate-message';

function post(
  deps: ChatDependencies,
  id: string,
  trigger: Trigger = 'submit-message',
): Promise<string> {
  const messages = [{ id, role: 'user', parts: [{ type: 'text', text: id }] }];
  const body = { id: 'chat-1', trigger, messages };
  const request = new Request('http://chat.test/api/chat', {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return handleChatStream(deps, { request }).then((response) => response.text());
}

async function userMessages({ deps: { stateStore } }: World): Promise<readonly string[]> {
  const { messages } = await stateStore.getMessages('chat-1');
  return messages.flatMap((one) => (one.role === 'user' ? [one.id ?? ''] : []));
}

async function runs({ executor }: World): Promise<readonly string[]> {
  return (await executor.listRuns('chat-1')).runs.map((run) => run.status);
}

function twice(deps: ChatDependencies, id: string, trigger?: Trigger): Promise<string[]> {
  return Promise.all([post(deps, id, trigger), post(deps, id, trigger), post(deps, id, trigger)]);
}

describe('a chat message that is sent again', () => {
  it('at once is stored once, and both requests show its one answer', async () => {
    const world = createWorld(assistant, { assistant: [text('One.'), text('Two.'), text('No.')] });
    const deps = interleaving(world);
    for (const shown of await twice(deps, 'a')) expect(shown).toContain('One.');
    for (const shown of await twice(deps, 'b')) expect(shown).toContain('Two.');
    expect(await userMessages(world)).toEqual(['a', 'b']);
    expect(await runs(world)).toEqual(['completed', 'completed']);
  });

  it('while an approval waits replaces the call once', async () => {
    const world = createWorld(assistant, {
      assistant: [
        calls({ id: 'p1', name: 'pay', arguments: { amount: 5 } }),
        text('Two.'),
        text('No.'),
      ],
    });
    const deps = interleaving(world);
    await post(deps, 'a');
    for (const shown of await twice(deps, 'b')) expect(shown).toContain('Two.');
    expect(await userMessages(world)).toEqual(['a', 'b']);
    expect((await runs(world)).at(-1)).toBe('completed');
    expect(await runs(world)).toHaveLength(2);
  });

  it('after a newer one shows what it was answered then', async () => {
    const world = createWorld(assistant, { assistant: [text('One.'), text('Two.'), text('No.')] });
    await post(world.deps, 'a');
    const { createdAt } = (await world.deps.stateStore.sessions.readMessage(
      { rootId: 'chat-1', sessionId: 'chat-1' },
      'a',
    ))!;
    while (Date.now() <= createdAt) await new Promise((resolve) => void setTimeout(resolve, 1));
    await post(world.deps, 'b');
    const shown = await post(world.deps, 'a');
    expect(shown).toContain('One.');
    expect(shown).not.toContain('Two.');
    expect(await userMessages(world)).toEqual(['a', 'b']);
    expect(await runs(world)).toHaveLength(2);
  });

  it('to be answered again, at once, is answered again once', async () => {
    const world = createWorld(assistant, { assistant: [text('One.'), text('Two.'), text('No.')] });
    const deps = interleaving(world);
    await post(deps, 'a');
    for (const shown of await twice(deps, 'a', 'regenerate-message'))
      expect(shown).toContain('Two.');
    expect(await userMessages(world)).toEqual(['a']);
    expect(await runs(world)).toEqual(['completed', 'completed']);
  });
});
