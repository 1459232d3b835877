import {
  functionModel,
  type FunctionModel,
  type LLMGenerateInput,
  type LLMToolCall,
  type Message,
  type StepResult,
} from '@helix-agents/sdk';
import type { Document } from './corpus.ts';

/**
 * Plays the part of a language model. Each answer is worked out from the transcript alone, so that a process that has
 * just started goes on where another one stopped, as it would with a real model.
 */
export const scriptedModel: FunctionModel = functionModel(
  (input) =>
    input.agentType === 'fact-checker' ? checkFacts(input.messages) : research(input.messages),
  { delayMs: 200, streamDelayMs: 12, chunkSize: 6 },
);

function research(messages: readonly Message[]): StepResult {
  switch (countAnswers(messages)) {
    case 0:
      return call('I will look at what the library has on this.', [
        { name: 'search', arguments: { query: 'fresnel lens prisms' } },
        { name: 'search', arguments: { query: 'lighthouses before reflectors' } },
        { name: 'search', arguments: { query: 'cordouan first lens' } },
      ]);
    case 1:
      return call(
        'One document of each search looks right. I will read all three at once; the last one is a long scan.',
        bestHits(messages).map((id) => ({ name: 'read_document', arguments: { id } })),
      );
    case 2:
      return call(
        'I have what I need. Taking notes.',
        documentsRead(messages).map(({ id, text }) => ({
          name: 'take_note',
          arguments: { source: id, text: firstSentence(text) },
        })),
      );
    case 3: {
      const claims = documentsRead(messages).map(({ text }) => firstSentence(text));
      return call('Before anybody reads this, the fact checker should see it.', [
        { name: 'subagent__fact-checker', arguments: { claims } },
      ]);
    }
    case 4:
      return call('All claims hold. May I publish the report?', [
        {
          name: 'publish_report',
          arguments: {
            title: 'How the Fresnel lens changed lighthouses',
            summary: 'Light that reflectors lost was gathered into one beam, from 1823 on.',
          },
        },
      ]);
    default:
      return text(lastAnswer(messages));
  }
}

function checkFacts(messages: readonly Message[]): StepResult {
  if (countAnswers(messages) === 0) {
    const claims = claimsOf(messages);
    return call(
      '',
      claims.map((claim) => ({ name: 'look_up', arguments: { claim } })),
    );
  }
  const claims = claimsOf(messages);
  const found = results(messages, 'look_up') as (Pick<Document, 'text'> | null)[];
  const supported = claims.filter((claim, index) => found[index]?.text.includes(claim)).length;
  return call('', [{ name: '__finish__', arguments: { supported, checked: claims.length } }]);
}

function lastAnswer(messages: readonly Message[]): string {
  const result = messages.findLast((message) => message.role === 'tool');
  return result?.success
    ? 'The report is published. In short: reflectors lost most of the light, rings of prisms gather it into one beam, and Cordouan showed it first, in 1823.'
    : 'I have not published it. The notes are kept in the session.';
}

type Call = Pick<LLMToolCall, 'name' | 'arguments'>;

function call(content: string, calls: readonly Call[]): StepResult {
  return {
    type: 'tool_calls',
    content,
    // Providers number the calls of one answer; the engine makes the ids unique.
    toolCalls: calls.map((one, index) => ({ id: `call_${index}`, ...one })),
  };
}

function text(content: string): StepResult {
  return { type: 'text', content, shouldStop: true };
}

function countAnswers(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'assistant').length;
}

/** What calls of a tool came to, in the order of the calls. */
function results(messages: readonly Message[], toolName: string): unknown[] {
  return messages
    .filter((message) => message.role === 'tool')
    .filter((message) => message.toolName === toolName && message.success)
    .map((message) =>
      message.format === 'json' ? (JSON.parse(message.content) as unknown) : message.content,
    );
}

function bestHits(messages: readonly Message[]): string[] {
  const hits = results(messages, 'search') as Pick<Document, 'id'>[][];
  return hits.flatMap(([best]) => (best ? [best.id] : []));
}

function documentsRead(messages: readonly Message[]): Pick<Document, 'id' | 'text'>[] {
  return results(messages, 'read_document') as Pick<Document, 'id' | 'text'>[];
}

/** A sub-agent's first message is the input of the call. */
function claimsOf(messages: LLMGenerateInput['messages']): string[] {
  const first = messages.find((message) => message.role === 'user');
  return (JSON.parse(first?.content ?? '{}') as { claims?: string[] }).claims ?? [];
}

function firstSentence(words: string): string {
  return words.split('. ')[0]?.replace(/\.$/, '') ?? words;
}
