// If this fails: the soak passes although an answer was lost or doubled, or although it saw nothing.
import type { Message } from '@helix-agents/core';
import { expect, it } from 'vitest';
import { gaps, type SoakCounts } from '../src/soak/check-soak.ts';
import { judge } from '../src/soak/judge.ts';
import type { Heard, SaidAnswer } from '../src/soak/said.ts';

function said(token: string, heard: Heard[], kind: SaidAnswer['kind'] = 'result'): SaidAnswer {
  return { sessionId: 's', toolCallId: 'c', token, kind, heard };
}

function results(...contents: string[]): Message[] {
  return contents.map((content) => ({
    role: 'tool',
    id: content,
    toolCallId: 'c',
    toolName: 'pick',
    content,
    format: 'text',
    success: true,
  }));
}

const unknown: Message = {
  role: 'tool',
  id: 'u',
  toolCallId: 'c',
  toolName: 'send',
  content: 'nobody knows',
  format: 'text',
  success: false,
  errorDetail: { code: 'tool_outcome_unknown', message: 'nobody knows' },
};

it.each<[string, SaidAnswer[], Message[], string[]]>([
  ['stands once', [said('a.', ['accepted'])], results('a.'), []],
  ['is lost', [said('a.', ['accepted'])], results('x.'), ['c: a. was accepted and is lost']],
  ['stands twice', [said('a.', ['accepted'])], results('a.', 'a.'), ['c: a. stands 2 times']],
  [
    'was accepted beside another',
    [said('a.', ['accepted']), said('b.', ['accepted'])],
    results('a.'),
    ['c: 2 answers were accepted', 'c: b. was accepted and is lost'],
  ],
  ['was not heard and stands', [said('a.', ['unheard', 'already_completed'])], results('a.'), []],
  ['was not heard and never came', [said('a.', ['unheard'])], results('x.'), []],
  [
    'came too late and stands',
    [said('a.', ['already_completed'])],
    results('a.'),
    ['c: a. stands and was told already_completed'],
  ],
  ['stands nowhere', [said('a.', ['already_completed'])], [], ['c: no answer stands']],
  ['was approved before a death', [said('a.', ['accepted'], 'approval')], [unknown], []],
  [
    'was denied and is lost',
    [said('a.', ['accepted'], 'denial')],
    [unknown],
    ['c: a. was accepted and is lost'],
  ],
  ['was unknown', [said('a.', ['unknown_tool_call'])], [], ['c: a. was told unknown_tool_call']],
])('judge: an answer that %s', (_, answers, transcript, faults) => {
  expect(judge({ answers, messages: [], transcripts: [transcript] })).toEqual(faults);
});

it('judge: a message that was taken is there once, and none that nobody said', () => {
  const messages = ['one', 'two', 'three', 'four'].map((text) => ({
    sessionId: 's',
    text,
    isTaken: text !== 'four',
    tries: 1,
  }));
  const transcript = ['one', 'two', 'two', 'five'].map((content): Message => ({
    role: 'user',
    id: content,
    content,
  }));
  expect(judge({ answers: [], messages, transcripts: [transcript] })).toEqual([
    '"two" is there 2 times',
    '"three" was taken and is lost',
    'nobody said "five"',
  ]);
});

it('gaps: a soak that saw no kill of a kind, or no answer, does not pass', () => {
  const counts: SoakCounts = {
    serverKills: 1,
    serverStops: 1,
    databaseKills: 0,
    backendsTerminated: 1,
    databaseConnectionsCut: 1,
    personConnectionsCut: 1,
    repliesLost: 1,
    sessions: 1,
    turns: 1,
    answersAccepted: 0,
    approvalsAccepted: 1,
    denialsAccepted: 0,
    answersSentAgain: 0,
    messagesSentAgain: 0,
    takeovers: 1,
    onceExecutions: 1,
    onceOutcomeUnknown: 0,
    repeatedExecutions: 0,
    textGaps: 0,
  };
  const short = ['the soak saw no databaseKills', 'the soak saw no answersAccepted'];
  expect(gaps(counts)).toEqual(short);
  expect(gaps({ ...counts, onceExecutions: 1_000 }).length).toBeGreaterThan(short.length);
});
