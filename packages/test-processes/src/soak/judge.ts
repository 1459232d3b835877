import type { Message } from '@helix-agents/core';
import type { SaidAnswer, SaidMessage } from './said.ts';

/** What one session was told, and all messages of its tree: the root's first. */
export interface Case {
  readonly answers: readonly SaidAnswer[];
  readonly messages: readonly SaidMessage[];
  readonly transcripts: readonly (readonly Message[])[];
}

/** Each answer that was accepted stands once, and no other; each message that was taken is there once. */
export function judge({ answers, messages, transcripts }: Case): string[] {
  const results = transcripts.flat().filter((message) => message.role === 'tool');
  const byCall = Map.groupBy(answers, (answer) => answer.toolCallId);
  const faults = [...byCall].flatMap(([toolCallId, ofCall]) => {
    const isUnknown = results.some(
      (result) =>
        result.toolCallId === toolCallId && result.errorDetail?.code === 'tool_outcome_unknown',
    );
    return judgeCall(ofCall, (token) => placesOf(results, token), isUnknown).map(
      (fault) => `${toolCallId}: ${fault}`,
    );
  });
  return [...faults, ...judgeMessages(messages, transcripts[0] ?? [])];
}

function placesOf(results: readonly Message[], token: string): number {
  return results.filter((result) => JSON.stringify(result).includes(token)).length;
}

/** `isUnknown`: its tool was approved and started, and its process died: the result says so instead of what the tool returns. */
function judgeCall(
  answers: readonly SaidAnswer[],
  places: (token: string) => number,
  isUnknown: boolean,
): string[] {
  const accepted = answers.filter(({ heard }) => heard.includes('accepted'));
  const standing = answers.filter(({ token }) => places(token) > 0);
  const lost = accepted.filter(
    (answer) => !standing.includes(answer) && !(isUnknown && answer.kind === 'approval'),
  );
  const isAnswered = answers.some(({ heard }) => heard.includes('already_completed'));
  const isMissing = isAnswered && standing.length === 0 && !isUnknown;
  return [
    ...(accepted.length > 1 ? [`${accepted.length} answers were accepted`] : []),
    ...(standing.length > 1 ? [`${standing.length} answers stand`] : []),
    ...(isMissing ? ['no answer stands'] : []),
    ...lost.map(({ token }) => `${token} was accepted and is lost`),
    ...standing.flatMap((answer) => judgeStanding(answer, places(answer.token))),
    ...answers.flatMap(({ token, heard }) =>
      heard
        .filter((one) => one === 'unknown_tool_call' || one === 'expired')
        .map((odd) => `${token} was told ${odd}`),
    ),
  ];
}

function judgeStanding({ token, heard }: SaidAnswer, places: number): string[] {
  const mayStand = heard.includes('accepted') || heard.includes('unheard');
  return [
    ...(places > 1 ? [`${token} stands ${places} times`] : []),
    ...(mayStand ? [] : [`${token} stands and was told ${heard.join(', ')}`]),
  ];
}

function judgeMessages(said: readonly SaidMessage[], transcript: readonly Message[]): string[] {
  const texts = transcript.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  const faults = said.flatMap(({ text, isTaken }) => {
    const count = texts.filter((one) => one === text).length;
    if (count > 1) return [`"${text}" is there ${count} times`];
    return isTaken && count === 0 ? [`"${text}" was taken and is lost`] : [];
  });
  const strange = texts.filter((one) => !said.some(({ text }) => text === one));
  return [...faults, ...strange.map((text) => `nobody said "${String(text)}"`)];
}
