import { testCrashes } from '@helix-agents/testing';
import { WORLDS } from './worlds.ts';

testCrashes({ name: 'runtime-js on SQLite', stride: 9, open: WORLDS.sqlite });
