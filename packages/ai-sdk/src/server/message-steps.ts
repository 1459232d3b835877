import type { ChatChunk } from '../ui/chunks.ts';

interface Block {
  readonly kind: 'text' | 'reasoning';
  readonly id: string;
  readonly hidden: boolean;
  length: number;
  lastDelta: string;
}

/** The steps of one message and the text in them. At most one block of text or reasoning is open. */
export class MessageSteps {
  #step: number | null = null;
  #open: Block | null = null;
  #blocks = 0;
  /** Blocks that begin while this is set are not shown, but they still use an id. */
  hidden = false;

  get current(): number | null {
    return this.#step;
  }

  /** Whether the open block is of that kind and has this text. Only length and end are compared: the text is not kept. */
  isOpen(kind: Block['kind'], text: string): boolean {
    const open = this.#open;
    return open?.kind === kind && open.length === text.length && text.endsWith(open.lastDelta);
  }

  /** Adds to the open block of that kind, or opens one. */
  write(kind: Block['kind'], step: number, delta: string): ChatChunk[] {
    const out = this.enter(step);
    let block = this.#open;
    if (block?.kind !== kind || block.hidden !== this.hidden) {
      out.push(...this.closeBlock());
      this.#blocks += 1;
      block = {
        kind,
        id: `${kind}-${this.#blocks}`,
        hidden: this.hidden,
        length: 0,
        lastDelta: '',
      };
      this.#open = block;
      out.push({ type: `${kind}-start`, id: block.id });
    }
    block.length += delta.length;
    block.lastDelta = delta;
    out.push({ type: `${kind}-delta`, id: block.id, delta });
    return out;
  }

  closeBlock(): ChatChunk[] {
    const open = this.#open;
    this.#open = null;
    return open && !open.hidden ? [{ type: `${open.kind}-end`, id: open.id }] : [];
  }

  /** Begins that step unless it is the current one. */
  enter(step: number): ChatChunk[] {
    if (this.#step === step) return [];
    const out = this.close();
    this.#step = step;
    return [...out, { type: 'start-step' }];
  }

  close(): ChatChunk[] {
    const out = this.closeBlock();
    return this.#step === null ? out : [...out, { type: 'finish-step' }];
  }
}
