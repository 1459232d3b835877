import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type LLMConfig,
} from '@helix-agents/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { flightsTo, hotelsIn } from './travel-data.ts';

/** How long a service takes to answer. */
const SLOWLY = Number(process.env['HELIX_CHAT_TOOL_MS'] ?? 450);

const searchFlights = defineTool({
  name: 'search_flights',
  description: 'Finds flights to a city.',
  inputSchema: z.object({ city: z.string(), nights: z.number().int().min(1).default(2) }),
  async execute({ city, nights }, ctx) {
    const airlines = ['TAP', 'Lufthansa', 'easyJet', 'Iberia'];
    for (const [index, airline] of airlines.entries()) {
      const data = {
        id: ctx.toolCallId,
        label: `Asking ${airline}`,
        done: index,
        of: airlines.length,
      };
      await ctx.emit('progress', data);
      await delay(SLOWLY, undefined, { signal: ctx.abortSignal });
    }
    await ctx.emit('progress', { id: ctx.toolCallId, label: 'Done', done: 4, of: 4 });
    return { city, nights, flights: flightsTo(city) };
  },
});

const bookFlight = defineTool({
  name: 'book_flight',
  description: 'Books a flight. A person approves it first and may change the details.',
  inputSchema: z.object({
    flight: z.string(),
    city: z.string(),
    passenger: z.string(),
    date: z.iso.date(),
    price: z.number().positive(),
    extras: z.array(z.enum(['bag', 'seat', 'meal'])).default([]),
    companions: z.array(z.string()).default([]),
    refundable: z.boolean().default(false),
    contact: z.object({ email: z.email(), phone: z.string().optional() }),
  }),
  requireApproval: true,
  async execute({ flight, passenger, date, price, extras, refundable }, ctx) {
    await delay(SLOWLY, undefined, { signal: ctx.abortSignal });
    const booking = { flight, passenger, date, price, extras, refundable };
    return { reference: reference('FL', ctx.idempotencyKey), ...booking };
  },
});

const setAppearance = defineTool({
  name: 'set_appearance',
  description: 'Changes how the page looks, in the browser of the person who asks.',
  inputSchema: z.object({
    mode: z.enum(['light', 'dark']).optional(),
    accent: z.enum(['violet', 'teal', 'orange', 'blue']).optional(),
  }),
  outputSchema: z.object({ mode: z.string(), accent: z.string() }),
  execute: 'client',
});

const findHotels = defineTool({
  name: 'find_hotels',
  description: 'Finds hotels in a city.',
  inputSchema: z.object({ city: z.string() }),
  async execute({ city }, ctx) {
    await delay(SLOWLY, undefined, { signal: ctx.abortSignal });
    return { hotels: hotelsIn(city) };
  },
});

const reserveRoom = defineTool({
  name: 'reserve_room',
  description: 'Reserves a room. A person approves it first.',
  inputSchema: z.object({ hotel: z.string(), nights: z.number().int().min(1), total: z.number() }),
  requireApproval: true,
  async execute({ hotel, nights, total }, ctx) {
    await delay(SLOWLY, undefined, { signal: ctx.abortSignal });
    return { reference: reference('HT', ctx.idempotencyKey), hotel, nights, total };
  },
});

/** The same call always gets the same number, however often it is tried. */
function reference(prefix: string, key: string): string {
  let sum = 0;
  for (const char of key) sum = (sum * 31 + char.charCodeAt(0)) % 100_000;
  return `${prefix}-${String(sum).padStart(5, '0')}`;
}

/** What the tools that ask take in, for the fields of the page. */
export const toolSchemas: { readonly [toolName: string]: object } = Object.fromEntries(
  [bookFlight, reserveRoom].map(({ name, inputSchema }) => [
    name,
    z.toJSONSchema(inputSchema as never, { io: 'input', unrepresentable: 'any' }),
  ]),
);

/** The assistant of the page, and the scout it sends for hotels. */
export function createAgents(llmConfig: LLMConfig): AgentConfig {
  const hotelScout = defineAgent({
    name: 'hotel_scout',
    description: 'Finds and reserves a hotel.',
    systemPrompt:
      'Find hotels in the city you are given, reserve the best one for its nights, then finish. If the reservation is refused, finish without one.',
    tools: [findHotels, reserveRoom],
    outputSchema: z.object({ hotel: z.string().nullable(), reference: z.string().nullable() }),
    llmConfig,
  });
  return defineAgent({
    name: 'travel_assistant',
    description: 'Plans trips.',
    systemPrompt:
      'You are a travel assistant in a web page. Plan trips: search flights first, send the hotel scout for a room, then book the flight. ' +
      'Bookings are approved by the person, who may change them. You can change the look of the page. Be brief and friendly.',
    tools: [
      searchFlights,
      bookFlight,
      setAppearance,
      createSubAgentTool(hotelScout, z.object({ city: z.string(), nights: z.number() }), {
        description: 'Sends the hotel scout.',
      }),
    ],
    llmConfig,
    approvalTimeoutMs: 'never',
    clientToolTimeoutMs: 'never',
  });
}
