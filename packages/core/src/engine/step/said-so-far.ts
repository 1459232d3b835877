/** The words of an answer that a model did not finish. */
export interface Said {
  readonly text: string;
  readonly thinking: string;
}

const BETWEEN_THOUGHTS = '\n\n';

/** Collects what a model says while it answers. */
export class SaidSoFar {
  #text = '';
  readonly #thoughts: string[] = [];
  #thought = '';

  addText(delta: string): void {
    this.#text += delta;
  }

  /** A complete thought comes after its pieces, or instead of them. */
  addThinking(content: string, isComplete: boolean): void {
    if (isComplete) this.#thoughts.push(content);
    this.#thought = isComplete ? '' : this.#thought + content;
  }

  /** Null if there is nothing to read. */
  get words(): Said | null {
    const text = this.#text;
    const thoughts = this.#thought === '' ? this.#thoughts : [...this.#thoughts, this.#thought];
    const thinking = thoughts.join(BETWEEN_THOUGHTS);
    return `${text}${thinking}`.trim() === '' ? null : { text, thinking };
  }
}
