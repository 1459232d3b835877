import { styleText } from 'node:util';
import type { StreamChunk } from '@helix-agents/sdk';
import { describeChunk, type Line } from './describe-chunk.ts';

export type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  /** What the demo itself has to say. */
  say(text: string, style?: Style): void;
  /** One chunk of the agent's stream. */
  show(chunk: StreamChunk): void;
}

/** Writes plain lines. Colours only where a person looks at them, and never with NO_COLOR. */
export function createTerminal(rootAgent: string): Terminal {
  const labels = new Map<string, string>();
  let writingText = false;

  const paint = (style: Style, text: string): string =>
    styleText(style, text, { stream: process.stdout });
  const line = (text: string): void => {
    if (writingText) process.stdout.write('\n');
    writingText = false;
    process.stdout.write(`${text}\n`);
  };
  const render = ({ mark, style, text, detail }: Line): string =>
    `${paint(style, mark)} ${text}${detail === undefined ? '' : paint('gray', ` → ${detail}`)}`;

  return {
    say(text, style) {
      line(style ? paint(style, text) : text);
    },
    show(chunk) {
      if (chunk.type === 'text_delta') {
        process.stdout.write(writingText ? chunk.delta : `  ${chunk.delta}`);
        writingText = true;
        return;
      }
      const indent = chunk.agentType === rootAgent ? '    ' : '      ';
      for (const one of describeChunk(chunk, labels)) line(`${indent}${render(one)}`);
    },
  };
}
