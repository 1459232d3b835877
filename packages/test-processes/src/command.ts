// Arguments: the store's address, the ledger. Prints `ready`, then obeys one JSON command from its input, prints what came of it
// as JSON, and ends when the runs it drives have.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { HelixError, type SubmitToolResult } from '@helix-agents/core';
import { live, LONG_LEASE_MS, openStage, type Stage } from './stage.ts';
import { readAddress } from './store-address.ts';

export type Command =
  /** Starts them all and stays until each has ended or waits. */
  | { readonly do: 'execute'; readonly sessionIds: readonly string[] }
  | { readonly do: 'resume'; readonly sessionId: string }
  | { readonly do: 'submit'; readonly submissions: readonly SubmitToolResult[] }
  | { readonly do: 'recover'; readonly sessionIds: readonly string[] };

const [store, ledger] = process.argv.slice(2) as [string, string];
const stage = await openStage({ address: readAddress(store), ledger, leaseMs: LONG_LEASE_MS });
writeSync(1, 'ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  writeSync(1, `${JSON.stringify(await obey(stage, JSON.parse(line) as Command))}\n`);
  break;
}
process.stdin.destroy();
stage.stores.close();

async function obey({ executor, agents }: Stage, command: Command): Promise<unknown> {
  switch (command.do) {
    case 'execute': {
      const runs = command.sessionIds.map(async (sessionId) => {
        const handle = await executor.execute(agents.mixed, 'message 1', { sessionId });
        return (await handle.result()).status;
      });
      return Promise.all(runs);
    }
    case 'resume':
      return codeOf(async () => {
        const handle = await executor.resume({ sessionId: command.sessionId });
        return (await handle.result()).status;
      });
    case 'submit':
      return Promise.all(
        command.submissions.map((submission) =>
          codeOf(async () => (await executor.submitToolResult(submission)).status),
        ),
      );
    case 'recover': {
      await executor.recover();
      const ended = command.sessionIds.map((sessionId) =>
        live(stage, { sessionId, agent: agents.slow }),
      );
      return (await Promise.all(ended)).map((root) => root.status);
    }
  }
}

async function codeOf(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return HelixError.isInstance(error) ? error.code : String(error);
  }
}
