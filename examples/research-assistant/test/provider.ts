import type { WireAnswer, WireFormat, WireReply } from '@helix-agents/testing/wire';

/** Steps of the assistant, each under call ids of its own: those in a request tell how far it has come. */
const STEPS: readonly (readonly [id: string, name: string, input: object])[] = [
  ['call_search', 'search', { query: 'lens' }],
  // One document after the other, and the long one last.
  ['call_first', 'read_document', { id: 'reflectors' }],
  ['call_wrong', 'read_document', { id: 'atlantis' }],
  ['call_second', 'read_document', { id: 'cordouan' }],
  ['call_note', 'take_note', { source: 'cordouan', text: 'It was lit in 1823.' }],
  ['call_check', 'subagent__fact-checker', { claims: ['It was lit in 1823.'] }],
  ['call_publish', 'publish_report', { title: 'Lenses', summary: 'Light.' }],
];

/** Plays a model behind a provider's address: a function of the request, so that it survives any kill. */
export function assistantBehind(
  format: WireFormat,
  closing = 'Prisms gather the light.',
): (body: string) => WireReply {
  return (body) => format.answer(isChecker(body) ? check(body) : research(body, closing));
}

/** A model that answers at once and calls nothing. */
export function laconicModelBehind(format: WireFormat): (body: string) => WireReply {
  return () => format.answer({ text: ['It made them ', 'brighter.'] });
}

function isChecker(body: string): boolean {
  return body.includes('You check claims');
}

function research(body: string, closing: string): WireAnswer {
  const next = STEPS.find(([id]) => !body.includes(id));
  return next ? { text: ['On it. '], calls: [call(...next)] } : { text: [closing] };
}

function check(body: string): WireAnswer {
  return body.includes('call_look')
    ? { calls: [call('call_done', '__finish__', { supported: 1, checked: 1 })] }
    : { calls: [call('call_look', 'look_up', { claim: 'It was lit in 1823.' })] };
}

function call(id: string, name: string, input: object): NonNullable<WireAnswer['calls']>[number] {
  return { id, name, input: [JSON.stringify(input)] };
}
