import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentExecutionHandle, StateStore, StreamManager } from '@helix-agents/core';
import { Client, Connection } from '@temporalio/client';
import { onTestFinished } from 'vitest';
import { TemporalAgentExecutor, type WorkflowSettings } from '../src/index.ts';
import { newStorePlace } from './store-place.ts';
import { openStores, type StoreKind } from './stores.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';
import { workAgent } from './worker/agents.ts';
import type { WorkerArguments } from './worker/main.ts';

/** Real worker processes over one database, on a queue of their own; this process is the client. */
export interface WorkerWorld {
  readonly executor: TemporalAgentExecutor;
  readonly client: Client;
  /** Of its workflow ids. */
  readonly prefix: string;
  readonly stateStore: StateStore;
  readonly streams: StreamManager;
  /** What was executed. */
  ledger(): LedgerLine[];
  worker(options?: Pick<WorkerArguments, 'hold' | 'slots'>): Promise<WorkerProcess>;
  start(sessionId: string, script: string): Promise<AgentExecutionHandle>;
}

export interface LedgerLine {
  readonly sessionId: string;
  readonly tool: string;
  readonly callId: string;
  /** Of the process. */
  readonly pid: string;
}

export interface WorkerWorldOptions {
  /** Of the Temporal server. */
  readonly address: string;
  /** Path of the bundled workflow. */
  readonly bundle: string;
  readonly kind: StoreKind;
  readonly settings?: Partial<WorkflowSettings>;
}

export const agent: ReturnType<typeof workAgent> = workAgent('', async () => {});

/** Long enough that a busy machine is not taken for a dead worker. */
const PATIENT = { heartbeatTimeoutMs: 60_000 };

/** Closed when the test ends. */
export async function openWorkerWorld(options: WorkerWorldOptions): Promise<WorkerWorld> {
  const { address, bundle, kind, settings = PATIENT } = options;
  const folder = mkdtempSync(join(tmpdir(), 'helix-world-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const place = await newStorePlace(kind);
  const { stateStore, streamManager, close } = openStores(place.address);
  const client = new Client({ connection: await Connection.connect({ address }) });
  const prefix = `world-${crypto.randomUUID()}`;
  const executor = new TemporalAgentExecutor({
    client,
    taskQueue: prefix,
    workflowIdPrefix: prefix,
    stateStore,
    streamManager,
    agentRegistry: { work: agent },
    settings,
  });
  const workers: WorkerProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(workers.map((one) => one.end('SIGKILL')));
    await client.connection.close();
    await close();
    await place.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    executor,
    client,
    prefix,
    stateStore,
    streams: streamManager,
    ledger: () => readLedger(ledger),
    async worker(given = {}) {
      const { address: store } = place;
      const started = await startWorker({
        ...given,
        address,
        taskQueue: prefix,
        store,
        ledger,
        bundle,
      });
      workers.push(started);
      return started;
    },
    start: (sessionId, script) => executor.execute(agent, script, { sessionId }),
  };
}

function readLedger(file: string): LedgerLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [sessionId = '', tool = '', callId = '', pid = ''] = line.split(' ');
    return { sessionId, tool, callId, pid };
  });
}
