import type { Scenario } from '../scenario.ts';
import { denied, finishWith, mixed, twoWriters } from './human-calls.ts';
import { onceTool, parallel, plain, stepDurability, turns } from './server-tools.ts';
import {
  abortRunning,
  abortSuspended,
  interruptRunning,
  interruptSpeaking,
  interruptSuspended,
  supersede,
} from './stops.ts';
import { asksTwice, nested, siblings } from './sub-agents.ts';

export const SCENARIOS: readonly Scenario[] = [
  plain,
  stepDurability,
  parallel,
  onceTool,
  turns,
  mixed,
  twoWriters,
  denied,
  finishWith,
  nested,
  asksTwice,
  siblings,
  interruptRunning,
  interruptSpeaking,
  interruptSuspended,
  abortRunning,
  abortSuspended,
  supersede,
];
