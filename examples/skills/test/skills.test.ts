import { createHelix } from '@helix-agents/sdk';
import { expect, it } from 'vitest';
import { chat } from '../src/chat.ts';
import { scriptedModel } from '../src/model.ts';

it('the shop assistant shows which skill it loaded, and loads it once', async () => {
  const helix = createHelix({ model: scriptedModel, database: ':memory:' });
  const lines: string[] = [];
  const send = (message: string): Promise<void> =>
    chat(helix, 'chat', message, (line) => lines.push(line));
  await send('I want a refund of my order, please.');
  await send('How long does shipping of a parcel take?');
  await send('And what about the refund of the other order?');
  await send('Hello!');
  await helix.close();
  const refund =
    'shop: Ask for the number of the order, then refund it to the card that paid. (Up to 50 euros: refund at once.)';
  expect(lines).toEqual([
    'you: I want a refund of my order, please.',
    '  [loaded the skill "refunds"]',
    '  [reads references/limits.md]',
    refund,
    'you: How long does shipping of a parcel take?',
    '  [loaded the skill "shipping"]',
    'shop: A parcel costs 5 euros and takes two days. Above 40 euros it is free.',
    'you: And what about the refund of the other order?',
    '  [reads references/limits.md]',
    refund,
    'you: Hello!',
    'shop: How can I help?',
  ]);
  // The model was shown the same catalogue, with the preloaded skill, in every call.
  const prompts = new Set(scriptedModel.calls.map(({ messages }) => messages[0]?.content));
  expect(prompts.size).toBe(1);
  expect([...prompts][0]).toContain('<skill name="tone" loaded="true">');
});
