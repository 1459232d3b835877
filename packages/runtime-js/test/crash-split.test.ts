import { testCrashes } from '@helix-agents/testing';
import { apart, starter } from './worlds.ts';

testCrashes({
  name: 'runtime-js, a database per session',
  apart: true,
  stride: 5,
  open: (options) => ({ ...apart(options, 0), start: starter({ shareMemory: false }) }),
});
