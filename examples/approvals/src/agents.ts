import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSubAgentTool, defineAgent, defineTool, type AgentConfig } from '@helix-agents/sdk';
import { z } from 'zod';

/** The agents of this example. `folder` is where hotel bookings are written, one line each. */
export function createTravelDesk(folder: string): AgentConfig {
  return defineAgent({
    name: 'travel-desk',
    systemPrompt: 'You plan trips. The traveller picks the seat, the hotel desk books the room.',
    tools: [
      pickSeat,
      createSubAgentTool(
        createHotelDesk(folder),
        z.object({ city: z.string(), nights: z.number() }),
        { description: 'Books a hotel room.' },
      ),
    ],
    llmConfig: { model: 'scripted' },
  });
}

/** No code of ours runs: whoever shows the seat map answers. */
const pickSeat = defineTool({
  name: 'pick_seat',
  description: 'Shows the seat map to the traveller.',
  inputSchema: z.object({ flight: z.string(), free: z.array(z.string()) }),
  outputSchema: z.object({ seat: z.string() }),
  execute: 'client',
});

function createHotelDesk(folder: string) {
  return defineAgent({
    name: 'hotel-desk',
    systemPrompt: 'You book hotel rooms. Somebody has to approve what they cost.',
    tools: [bookHotel(folder)],
    outputSchema: z.object({ confirmation: z.string(), total: z.number() }),
    llmConfig: { model: 'scripted' },
  });
}

/** Runs with the input that was approved, and is started at most once: the default for tools that ask. */
const bookHotel = (folder: string) =>
  defineTool({
    name: 'book_hotel',
    description: 'Books a room. Costs money.',
    inputSchema: z.object({
      hotel: z.string(),
      nights: z.number().int().min(1).max(14),
      pricePerNight: z.number().positive(),
    }),
    requireApproval: true,
    execute: ({ hotel, nights, pricePerNight }, { idempotencyKey }) => {
      const total = nights * pricePerNight;
      const booking = JSON.stringify({ idempotencyKey, hotel, nights, total });
      appendFileSync(join(folder, 'bookings.jsonl'), `${booking}\n`);
      return { confirmation: `${hotel}, ${nights} nights`, total };
    },
  });
