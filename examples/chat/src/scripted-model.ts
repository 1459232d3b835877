// Behaves like a capable assistant without a provider. It is a function of the transcript alone, so it gives the same
// answers after a crash and in another process.
import {
  functionModel,
  type LLMAdapter,
  type LLMGenerateInput,
  type Message,
  type StepResult,
  type ToolMessage,
} from '@helix-agents/sdk';
import { cityIn, flightsTo, hotelsIn } from './travel-data.ts';

const PACE = { chunkSize: 5, streamDelayMs: 14, delayMs: 250 };

export const scriptedModel: LLMAdapter = functionModel(answer, PACE);

function answer(input: LLMGenerateInput): StepResult {
  const start = input.messages.findLastIndex(({ role }) => role === 'user');
  const asked = input.messages[start];
  const turn = new Turn(
    asked?.role === 'user' ? asked : { content: '' },
    input.messages.slice(start + 1),
  );
  return input.agentType === 'hotel_scout' ? scout(turn) : assistant(turn);
}

type Asked = Pick<Extract<Message, { role: 'user' }>, 'content' | 'files'>;

/** What was asked and what has happened since. */
class Turn {
  readonly text: string;
  readonly files: readonly string[];
  readonly #results: readonly ToolMessage[];

  constructor({ content, files = [] }: Asked, since: readonly Message[]) {
    this.text = content;
    this.files = files.map(({ filename }) => filename ?? 'your file');
    this.#results = since.filter((message) => message.role === 'tool');
  }

  result(tool: string): ToolMessage | undefined {
    return this.#results.findLast(({ toolName }) => toolName === tool);
  }

  is(pattern: RegExp): boolean {
    return pattern.test(this.text);
  }
}

function assistant(turn: Turn): StepResult {
  if (turn.files.length > 0) return say(`Thanks, I have **${turn.files.join('**, **')}**.`);
  if (turn.is(/\bcode\b/i)) return say(CODE);
  if (turn.is(/\b(dark|light|theme|colou?r|look|teal|orange|violet|blue)\b/i))
    return changeLook(turn);
  if (turn.is(/\b(trip|weekend|plan|holiday|travel)\b/i)) return planTrip(turn);
  if (turn.is(/\bhotels?\b|\broom\b/i)) return hotelOnly(turn);
  if (turn.is(/\bflights?\b|\bfly\b|\bbook\b/i)) return flightOnly(turn);
  if (turn.is(/\bvery long\b/i)) return say(`${`${STORY}\n\n`.repeat(CHAPTERS)}The end.`);
  if (turn.is(/\b(story|long|explain|tell me|how does)\b/i)) return say(STORY);
  return say(GREETING);
}

function changeLook(turn: Turn): StepResult {
  const done = turn.result('set_appearance');
  if (done) {
    return say(done.success ? 'Done. How do you like it?' : 'I could not change the page, sorry.');
  }
  const mode = turn.is(/dark/i) ? 'dark' : turn.is(/light/i) ? 'light' : undefined;
  const accent = /teal|orange|violet|blue/i.exec(turn.text)?.[0]?.toLowerCase();
  const look = { ...(mode && { mode }), ...(accent && { accent }) };
  const wanted = mode || accent ? look : { accent: 'teal' };
  return call('Sure, let me change that for you.', 'set_appearance', wanted);
}

function planTrip(turn: Turn): StepResult {
  const city = cityIn(turn.text);
  if (!turn.result('search_flights')) {
    const text = `A weekend in **${city}**, good choice. I’ll look at flights first.`;
    return call(text, 'search_flights', { city, nights: 2 }, PLAN);
  }
  if (!turn.result('subagent__hotel_scout')) {
    return call(
      'There are three flights. Before I book one, my hotel scout will find a room.',
      'subagent__hotel_scout',
      { city, nights: 2 },
    );
  }
  return bookCheapest(turn, city, () => summary(turn, city));
}

function flightOnly(turn: Turn): StepResult {
  const city = cityIn(turn.text);
  if (!turn.result('search_flights')) {
    return call(`Let me see what flies to **${city}**.`, 'search_flights', { city, nights: 2 });
  }
  return bookCheapest(turn, city, () => 'Your flight is booked. Have a good trip!');
}

function bookCheapest(turn: Turn, city: string, booked: () => string): StepResult {
  const done = turn.result('book_flight');
  if (done?.success) return say(booked());
  if (done) return say('No problem, I won’t book it. Let me know if you’d like another one.');
  const [best] = flightsTo(city).toSorted((a, b) => a.price - b.price);
  return call('This is the best price I found. Please check it before I book.', 'book_flight', {
    flight: best?.flight ?? '',
    city,
    passenger: 'Alex Doe',
    date: '2027-05-14',
    price: best?.price ?? 0,
    extras: ['bag'],
    companions: [],
    refundable: false,
    contact: { email: 'alex@example.com' },
  });
}

function hotelOnly(turn: Turn): StepResult {
  const city = cityIn(turn.text);
  const done = turn.result('subagent__hotel_scout');
  if (!done) {
    const input = { city, nights: 2 };
    return call(
      `I’ll send my hotel scout to look around **${city}**.`,
      'subagent__hotel_scout',
      input,
    );
  }
  return say(
    done.content.includes('"hotel":null')
      ? 'No room is reserved. Shall I look in another city?'
      : 'The room is yours. Anything else?',
  );
}

function summary(turn: Turn, city: string): string {
  const room = turn.result('subagent__hotel_scout')?.content.includes('"hotel":null') === false;
  return (
    `All set for **${city}**:\n\n- the flight is booked\n- ${room ? 'a room is reserved for two nights' : 'no hotel, as you wished'}` +
    '\n\nEverything above was stored step by step. Refresh the page or kill the server: it is still here.'
  );
}

function scout(turn: Turn): StepResult {
  const city = cityIn(turn.text);
  const [best] = hotelsIn(city);
  if (!turn.result('find_hotels')) return call('', 'find_hotels', { city });
  const reserved = turn.result('reserve_room');
  const input = { hotel: best?.hotel ?? '', nights: 2, total: 2 * (best?.perNight ?? 0) };
  if (!reserved) return call('', 'reserve_room', input);
  const output = reserved.success
    ? { hotel: input.hotel, reference: /HT-\d+/.exec(reserved.content)?.[0] ?? '' }
    : { hotel: null, reference: null };
  return { type: 'structured_output', output };
}

function say(content: string): StepResult {
  return { type: 'text', content, shouldStop: true };
}

function call(content: string, name: string, given: object, thinking?: string): StepResult {
  return {
    type: 'tool_calls',
    content,
    ...(thinking && { thinking }),
    toolCalls: [{ id: `call_${name}`, name, arguments: given as never }],
  };
}

const PLAN =
  'They want a weekend away. Flights decide the dates, so search those first, then send the scout for a room, and book only after approval.';

const CODE = [
  'This is the whole tool:',
  '',
  '```ts',
  '// Asks a person before it runs.',
  'const bookFlight = defineTool({',
  "  name: 'book_flight',",
  '  inputSchema: z.object({ price: z.number().max(500) }),',
  '  requireApproval: true,',
  '  execute: async ({ price }) => ({ price }),',
  '});',
  '```',
  '',
  'Set `requireApproval` and the rest is handled.',
].join('\n');

const GREETING =
  'Hello! I am a travel assistant that never loses its place. Try one of these:\n\n' +
  '- **Plan a weekend in Lisbon**: flights, a hotel scout that asks first, and a booking you can edit\n' +
  '- **Make it dark** or **make it teal**: I change your page\n' +
  '- **Tell me a long story**: then refresh or kill the server while I’m talking';

/** Enough for whatever is to happen in its middle. */
const CHAPTERS = 5;

const STORY =
  'Once there was an agent that worked with people. Whenever it needed a person, it wrote down where it was, word for word, and went to sleep. ' +
  'Nothing waited in memory: no timer, no socket, no promise. Days could pass.\n\n' +
  'One evening somebody pulled the plug in the middle of a sentence. The sentence had been written down as it was spoken, so when another process ' +
  'woke up it read the last line, took back the half of the answer that was never finished, and told it again from the last safe place.\n\n' +
  'The person at the other end had gone to make tea. They came back, saw the whole story, and never knew. ' +
  'That is all an agent should be: plain data in a store, and a short loop that moves it forward one committed step at a time.';
