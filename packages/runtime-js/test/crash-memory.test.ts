import { testCrashes } from '@helix-agents/testing';
import { WORLDS } from './worlds.ts';

testCrashes({ name: 'runtime-js on memory, streams elsewhere', stride: 4, open: WORLDS.elsewhere });

testCrashes({ name: 'runtime-js on memory', open: WORLDS.memory });
