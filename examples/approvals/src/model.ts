import {
  functionModel,
  type FunctionModel,
  type LLMGenerateInput,
  type LLMToolCall,
  type StepResult,
} from '@helix-agents/sdk';

/** Plays the part of a language model. Works from the transcript alone, so any process can go on with it. */
export const scriptedModel: FunctionModel = functionModel((input) =>
  input.agentType === 'hotel-desk' ? bookRoom(input) : planTrip(input),
);

function planTrip({ messages }: LLMGenerateInput): StepResult {
  const seat = resultOf(messages, 'pick_seat') as { seat?: string } | undefined;
  const room = resultOf(messages, 'subagent__hotel-desk') as { confirmation?: string } | undefined;
  if (seat && room) {
    const content = `You fly in seat ${seat.seat} and stay at ${room.confirmation}.`;
    return { type: 'text', content, shouldStop: true };
  }
  return calls('A seat and a room, then.', [
    { name: 'pick_seat', arguments: { flight: 'TP 573', free: ['12A', '14C'] } },
    { name: 'subagent__hotel-desk', arguments: { city: 'Lisbon', nights: 5 } },
  ]);
}

function bookRoom({ messages }: LLMGenerateInput): StepResult {
  const booked = resultOf(messages, 'book_hotel');
  return booked
    ? calls('', [{ name: '__finish__', arguments: booked }])
    : calls('The Miradouro has a view.', [
        {
          name: 'book_hotel',
          arguments: { hotel: 'Hotel Miradouro', nights: 5, pricePerNight: 240 },
        },
      ]);
}

function calls(
  content: string,
  toolCalls: readonly Pick<LLMToolCall, 'name' | 'arguments'>[],
): StepResult {
  return {
    type: 'tool_calls',
    content,
    toolCalls: toolCalls.map((call, index) => ({ id: `call_${index}`, ...call })),
  };
}

type Value = LLMToolCall['arguments'];

/** The last line: a note about edited input comes before it. */
function resultOf(messages: LLMGenerateInput['messages'], toolName: string): Value | undefined {
  const message = messages.findLast((one) => one.role === 'tool' && one.toolName === toolName);
  const line = message?.content.split('\n').at(-1);
  return line === undefined ? undefined : (JSON.parse(line) as Value);
}
