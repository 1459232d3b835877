import { testRuntime } from '@helix-agents/testing';
import { WORLDS } from './worlds.ts';

testRuntime({ name: 'js over memory', open: WORLDS.memory });
