import { createInterface } from 'node:readline/promises';

export interface Answer {
  readonly approved: boolean;
  readonly reason: string;
}

/** Asks the person at the terminal; whoever goes away has not said yes. Null when there is no terminal. */
export async function askPerson(question: string): Promise<Answer | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new AbortController();
  prompt.on('close', () => gone.abort());
  prompt.on('SIGINT', () => process.exit(130));
  const ask = (text: string): Promise<string> => prompt.question(text, { signal: gone.signal });
  try {
    for (;;) {
      const answer = (await ask(`${question} [y/n] `)).trim().toLowerCase();
      if (answer === 'y' || answer === 'yes') return { approved: true, reason: 'yes' };
      if (answer === 'n' || answer === 'no') {
        const reason = (await ask('Why not? ')).trim();
        return { approved: false, reason: reason || 'no reason given' };
      }
    }
  } catch (error) {
    if (gone.signal.aborted) return { approved: false, reason: 'no answer' };
    throw error;
  } finally {
    prompt.close();
  }
}
