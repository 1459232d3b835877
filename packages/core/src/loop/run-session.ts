import { dispatch } from './dispatch.ts';
import type { Host, LoopOutcome, LoopRun } from './host.ts';

const STALE: LoopOutcome = { status: 'stale' };

/**
 * The only loop. Deterministic: it awaits the host and branches on plain data, so an engine may run it again from
 * recorded results and arrive at the same place.
 */
export async function runSession(host: Host, run: LoopRun): Promise<LoopOutcome> {
  try {
    return await runSteps(host, run);
  } catch (error) {
    // If not even the failure can be written the run dies, and another owner takes it over.
    await host.fail(run, host.describe(error));
    return host.end(run);
  }
}

async function runSteps(host: Host, run: LoopRun): Promise<LoopOutcome> {
  const begun = await host.begin(run);
  if (!begun.ok) return STALE;

  for (;;) {
    const settled = await host.settle(run);
    if (!settled.ok) return STALE;
    if (settled.next === 'end') return host.end(run);

    const thought = settled.next === 'think' ? await host.think(run) : settled;
    if (!thought.ok) return STALE;

    if (thought.calls.length > 0) {
      const dispatched = await dispatch(host, run, thought.calls);
      if (!dispatched.ok) return STALE;
    }
    if (await host.shouldYield(run)) {
      const given = await host.handover(run);
      return given.ok ? { status: 'handover' } : STALE;
    }
  }
}
