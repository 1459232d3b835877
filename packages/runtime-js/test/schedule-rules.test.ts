import { beforeAll, describe, expect, it } from 'vitest';
import { HISTORY_RULES, runSchedule, sampleSchedules, type History } from '@helix-agents/testing';
import { LOG_BREAKS } from './schedule-breaks-logs.ts';
import { ROW_BREAKS } from './schedule-breaks-rows.ts';
import type { Break, Breaks, Draft } from './schedule-breaks.ts';
import { WORLDS } from './worlds.ts';

// A check that cannot fail is a defect: each rule is shown a history that breaks it, and has to say so.

const BREAKS: Breaks = { ...ROW_BREAKS, ...LOG_BREAKS };

describe('a rule of the history checker notices what breaks it', () => {
  const histories: History[] = [];
  beforeAll(async () => {
    for (const schedule of sampleSchedules({ seed: 2, count: 25, faults: false }))
      histories.push(await runSchedule(WORLDS.memory, schedule));
  });

  it.each(HISTORY_RULES.map((rule) => ({ id: rule.id, rule })))('$id', ({ id, rule }) => {
    const breaks = BREAKS[id] ?? [];
    expect(breaks).not.toEqual([]);
    for (const [what, make] of breaks) {
      const draft = firstBroken(histories, make);
      expect(draft, `a history with ${what}`).toBeDefined();
      expect(rule.check(draft as History), what).not.toEqual([]);
    }
  });

  it('the rules accept histories in which nothing is wrong', () => {
    for (const history of histories) {
      for (const rule of HISTORY_RULES) expect(rule.check(history)).toEqual([]);
    }
  });
});

/** A copy of the first history that has something to break, broken. */
function firstBroken(histories: readonly History[], make: Break): Draft | undefined {
  for (const history of histories) {
    const draft = structuredClone(history) as Draft;
    if (make(draft)) return draft;
  }
  return undefined;
}
