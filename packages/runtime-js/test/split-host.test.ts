import { testRuntime } from '@helix-agents/testing';
import { WORLDS } from './worlds.ts';

testRuntime({
  name: 'js, a database per session, operations repeated, replies lost',
  apart: true,
  open: WORLDS.split,
});
