import { driveChild } from './drive-child.ts';
import type { Done, Host, LoopRun, PlanEntry } from './host.ts';

const OK: Done = { ok: true };

/** Performs a wave: all calls at once. Waits until all have ended, and only then throws the first error. */
export async function dispatch(
  host: Host,
  run: LoopRun,
  calls: readonly PlanEntry[],
): Promise<Done> {
  const settled = await Promise.allSettled(calls.map((call) => perform(host, run, call)));
  const broken = settled.find((one) => one.status === 'rejected');
  if (broken) throw broken.reason;
  const refused = settled.find((one) => one.status === 'fulfilled' && !one.value.ok);
  return refused?.status === 'fulfilled' ? refused.value : OK;
}

function perform(host: Host, run: LoopRun, call: PlanEntry): Promise<Done> {
  return call.class === 'subagent' ? driveChild(host, run, call) : host.tool(run, call);
}
