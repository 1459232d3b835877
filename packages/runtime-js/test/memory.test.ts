import { testRuntime } from '@helix-agents/testing';
import { memoryWorld } from './worlds.ts';

testRuntime({ name: 'js over memory', create: async () => memoryWorld({}) });
