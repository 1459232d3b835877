// A chat with the shop assistant. Messages are arguments; without any, three are sent.
import { createHelix } from '@helix-agents/sdk';
import { chat } from './chat.ts';
import { scriptedModel } from './model.ts';

const given = process.argv.slice(2);
const messages =
  given.length > 0
    ? given
    : [
        'I want a refund of my order, please.',
        'How long does shipping of a parcel take?',
        'And what about the refund of the other order?',
      ];

const helix = createHelix({ model: scriptedModel, database: ':memory:' });
for (const message of messages) await chat(helix, 'chat', message, (line) => console.log(line));
await helix.close();
