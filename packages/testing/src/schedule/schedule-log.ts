import type {
  ClientOperation,
  Fault,
  FaultKind,
  Prompt,
  StoreWrite,
  StreamAppend,
  ToolStart,
} from '../history/types.ts';
import type { LogWrite } from './gated-stores.ts';

export type LogAppend = (append: Pick<StreamAppend, 'streamId' | 'head'>) => void;

/** The logs of one schedule, ordered by one rising number. */
export class ScheduleLog {
  readonly writes: StoreWrite[] = [];
  readonly appends: StreamAppend[] = [];
  readonly client: ClientOperation[] = [];
  readonly executions: ToolStart[] = [];
  readonly prompts: Prompt[] = [];
  readonly faults: Fault[] = [];
  readonly #tick: () => number;

  constructor(tick: () => number) {
    this.#tick = tick;
  }

  write(process: string, database: string, body: Parameters<LogWrite>[1]): void {
    this.writes.push({ at: this.#tick(), process, database, ...body } as StoreWrite);
  }

  /** Called when an append leaves its process; the function it returns is called with the outcome. */
  appending(process: string): LogAppend {
    const askedAt = this.#tick();
    return (append) => void this.appends.push({ at: this.#tick(), askedAt, process, ...append });
  }

  execution(process: string, start: Omit<ToolStart, 'at' | 'process'>): void {
    this.executions.push({ at: this.#tick(), process, ...start });
  }

  prompt(process: string, prompt: Omit<Prompt, 'at' | 'process'>): void {
    this.prompts.push({ at: this.#tick(), process, ...prompt });
  }

  fault(kind: FaultKind, process: string): void {
    this.faults.push({ at: this.#tick(), kind, process });
  }
}
