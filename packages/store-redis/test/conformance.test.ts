import { describeServer } from '@helix-agents/test-servers';
import { openSpace } from './connections.ts';
import { testStores } from './suites.ts';

describeServer('redis', () => testStores('redis', openSpace));
