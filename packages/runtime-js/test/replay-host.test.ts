import { testRuntime } from '@helix-agents/testing';
import { WORLDS } from './worlds.ts';

testRuntime({ name: 'js, replayed after every operation', open: WORLDS.replay });
