import type { SessionStore } from '@helix-agents/core/store';
import type { History } from '../history/types.ts';
import { watchDigests } from '../world/event-loop.ts';
import type { OpenTestWorld, TestWorld, TestWorldOptions } from '../world/test-world.ts';
import { MAX_STEPS, TOOL_FACTS } from './agent-tree.ts';
import { ScheduleClient } from './client.ts';
import {
  isDisturbance,
  type Command,
  type Disturbance,
  type Jump,
  type Request,
  type Schedule,
} from './commands.ts';
import { dumpStores, dumpStreams, readCalls } from './dump.ts';
import { bringToAnEnd, bringToRest } from './finish.ts';
import { loggedStore } from './gated-stores.ts';
import { LEASE_MS, startProcess, type ScheduleProcess, type Surroundings } from './process.ts';
import { seededRandom } from '../world/random.ts';
import { ScheduleLog } from './schedule-log.ts';
import { canaryOf } from './scripted-answers.ts';
import { createSimulator, type Strategy } from './simulator.ts';
import { advance, readOn, type Stage } from './stage.ts';

const START = 1_800_000_000_000;
const PROCESSES = 3;
const GRACE_MS = 5_000;
const STRATEGIES: readonly Strategy[] = ['uniform', 'priority', 'newest', 'oldest', 'one-process'];
const JUMPS: Readonly<Record<Jump, number>> = {
  little: 3_000,
  lease: LEASE_MS + 2_000,
  deadline: 61_000,
  week: 7 * 24 * 3_600_000 + 1_000,
};

export interface RunOptions {
  /** Each command waits until nothing is left to do; with it different hosts give the same history. */
  readonly calm?: boolean;
}

/** Plays one schedule in a world and returns all it left behind. The same schedule gives the same history. */
export async function runSchedule(
  open: OpenTestWorld,
  schedule: Schedule,
  options: RunOptions = {},
): Promise<History> {
  const stage = await setUp(open, schedule, options.calm ? 0 : 0.02);
  try {
    for (const [index, rootId] of stage.roots.entries())
      stage.client.execute(stage.processes[index] as ScheduleProcess, rootId, false);
    for (const command of schedule.commands) {
      await advance(stage, options.calm ? 5_000 : command.after);
      await perform(stage, options.calm ? withoutRace(command) : command);
    }
    return await conclude(stage, schedule);
  } finally {
    for (const process of stage.processes) process.state = 'down';
    await stage.open.close();
  }
}

async function setUp(openWorld: OpenTestWorld, schedule: Schedule, hurry: number): Promise<Stage> {
  watchDigests();
  const random = seededRandom(schedule.seed);
  const strategy = STRATEGIES[schedule.strategy % STRATEGIES.length] ?? 'uniform';
  const simulator = createSimulator({ random, strategy, start: START, hurry });
  const tick = (): number => simulator.tick();
  const log = new ScheduleLog(tick);
  let databases = 0;
  const watch = (store: SessionStore): SessionStore =>
    loggedStore(store, `db${(databases += 1)}`, (database, body) =>
      log.write(simulator.current, database, body),
    );
  const { seed } = schedule;
  const open = await openLogged(openWorld, {
    now: simulator.now,
    seed,
    title: `seed ${seed}`,
    watch,
  });
  const around: Surroundings = {
    open,
    simulator,
    log,
    seed: schedule.seed,
    durability: schedule.durability,
    leaseMs: LEASE_MS,
  };
  const stage: Stage = {
    open,
    simulator,
    random,
    people: seededRandom(schedule.seed ^ 0x5bd1e995),
    log,
    client: new ScheduleClient(log, tick),
    around,
    roots: Array.from({ length: schedule.roots }, (_, index) => `root${'AB'[index]}`),
    processes: [],
    readers: new Map(),
    started: 0,
    steps: 0,
  };
  for (let slot = 0; slot < PROCESSES; slot += 1) replaceProcess(stage, slot);
  return stage;
}

/** Stores whose writes are logged. */
async function openLogged(openWorld: OpenTestWorld, options: TestWorldOptions): Promise<TestWorld> {
  const open = await openWorld(options);
  if (open.databases) return open;
  const { sessions, index } = open.stateStore;
  return { ...open, stateStore: { sessions: options.watch(sessions), index } };
}

/** A process dies, or gives back what it runs; another takes its place. */
function replaceProcess(stage: Stage, slot: number): ScheduleProcess {
  const made = startProcess(`p${(stage.started += 1)}`, stage.around);
  stage.processes[slot] = made;
  return made;
}

async function perform(stage: Stage, command: Command): Promise<void> {
  const rootId = stage.roots[command.root % stage.roots.length] as string;
  const slot = command.process % PROCESSES;
  return isDisturbance(command) ? disturb(stage, slot, command) : ask(stage, slot, rootId, command);
}

/** Which of two concurrent resumes wins is not defined, so a calm schedule has only one. */
function withoutRace(command: Command): Command {
  return command.kind === 'resume-twice' ? { ...command, kind: 'resume' } : command;
}

async function ask(stage: Stage, slot: number, rootId: string, request: Request): Promise<void> {
  const { client } = stage;
  const process = stage.processes[slot] as ScheduleProcess;
  switch (request.kind) {
    case 'execute':
      return client.execute(process, rootId, request.supersede);
    case 'submit':
      return submit(stage, process, rootId, request);
    case 'resubmit':
      return resubmit(stage, process, rootId, request.submission);
    case 'resume':
      return client.resume(process, rootId);
    case 'resume-twice':
      client.resume(process, rootId);
      return client.resume(stage.processes[(slot + 1) % PROCESSES] as ScheduleProcess, rootId);
    case 'retry':
      return client.retry(process, rootId);
    case 'interrupt':
      return client.interrupt(process, rootId);
    case 'abort':
      return client.abort(process, rootId);
    case 'sweep':
      return client.sweep(process);
    case 'read':
      return readOn(stage, rootId);
  }
}

async function disturb(stage: Stage, slot: number, disturbance: Disturbance): Promise<void> {
  const { log, simulator } = stage;
  const process = stage.processes[slot] as ScheduleProcess;
  switch (disturbance.kind) {
    case 'kill':
      log.fault('kill', process.name);
      await simulator.kill(process, () => stage.random.chance(0.5));
      replaceProcess(stage, slot);
      return;
    case 'shutdown':
      log.fault('shutdown', process.name);
      void process.executor.shutdown({ graceMs: GRACE_MS });
      replaceProcess(stage, slot);
      return;
    case 'pause':
      log.fault('pause', process.name);
      process.state = 'paused';
      return;
    case 'continue':
      for (const one of stage.processes) one.state = 'up';
      return;
    case 'jump':
      log.fault('clock-jump', '');
      return simulator.jump(JUMPS[disturbance.by]);
    case 'store-fault': {
      const { fault, count } = disturbance;
      log.fault(fault === 'fail-before' ? 'store-before' : 'store-after', process.name);
      process.storeFaults.push(...Array.from({ length: count }, () => fault));
      return;
    }
    case 'model-fault':
      log.fault('model-error', process.name);
      process.modelFaults.push(disturbance.fault);
  }
}

async function submit(
  stage: Stage,
  process: ScheduleProcess,
  rootId: string,
  command: Extract<Request, { kind: 'submit' }>,
): Promise<void> {
  const rows = await readCalls(stage.open, rootId);
  const open = rows.filter((row) => row.state === 'open');
  const among = open.length > 0 ? open : rows;
  const row = among[command.call % Math.max(1, among.length)];
  stage.client.submit(process, stage.client.submission(rootId, row, command.how));
}

/** The same submission again, as by a client that got no reply. */
function resubmit(stage: Stage, process: ScheduleProcess, rootId: string, which: number): void {
  const earlier = stage.log.client.filter(
    (entry) => entry.request.kind === 'submit' && entry.rootId === rootId,
  );
  const chosen = earlier[earlier.length - 1 - (which % Math.max(1, earlier.length))];
  if (chosen?.request.kind === 'submit') stage.client.submit(process, chosen.request.submission);
}

async function conclude(stage: Stage, schedule: Schedule): Promise<History> {
  const { open, log, simulator, roots } = stage;
  const stuck: string[] = [];
  await bringToRest(stage, stuck);
  const rest = await dumpStores(open, roots, simulator.tick(), simulator.now());
  await bringToAnEnd(stage, stuck);
  const end = await dumpStores(open, roots, simulator.tick(), simulator.now());
  return {
    rest,
    end,
    streams: await dumpStreams(open, roots),
    writes: log.writes,
    appends: log.appends,
    client: log.client,
    executions: log.executions,
    prompts: log.prompts,
    faults: log.faults,
    readers: [...stage.readers.values()],
    stuck,
    counts: { steps: stage.steps, virtualMs: simulator.now() - START },
    facts: {
      maxSteps: MAX_STEPS,
      tools: TOOL_FACTS,
      databases: open.databases ? 'apart' : 'one',
      durability: schedule.durability,
      canaries: Object.fromEntries(roots.map((rootId) => [rootId, canaryOf(rootId)])),
    },
  };
}
