import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type LLMConfig,
} from '@helix-agents/sdk';
import { z } from 'zod';
import { findDocument, searchCorpus } from './corpus.ts';
import { openLedger, type Ledger } from './ledger.ts';

const PAGE_MS = 350;

export interface Note {
  readonly source: string;
  readonly text: string;
}

interface ResearchState {
  notes: Note[];
  published: string | null;
}

const INSTRUCTIONS = `You answer questions from a small library, and from nothing else.
Work in this order:
1. Search, with several searches at once.
2. Read every document that looks useful, all at once.
3. Take one note per document: one sentence, copied from it word for word.
4. Have the fact-checker check the sentences of your notes.
5. Publish a report. A person is asked before it happens; when the answer is no, do not try again.
6. Answer the question in two sentences, and say whether the report was published.`;

const CHECKING = `You check claims against a library. Look up all of them at once. A claim is supported when the
document that was found says so. Then finish with how many are supported, and how many there are.`;

/** The agent of this example. `folder` is where it publishes, and where its tools keep their ledger. */
export function createResearchAssistant(folder: string, llmConfig: LLMConfig): AgentConfig {
  const ledger = openLedger(folder);
  return defineAgent({
    name: 'research-assistant',
    systemPrompt: INSTRUCTIONS,
    maxSteps: 20,
    stateSchema: z.object({
      notes: z.array(z.object({ source: z.string(), text: z.string() })).default([]),
      published: z.string().nullable().default(null),
    }),
    tools: [
      searchTool(ledger),
      readTool(ledger),
      noteTool(ledger),
      createSubAgentTool(
        createFactChecker(ledger, llmConfig),
        z.object({ claims: z.array(z.string()) }),
        {
          description: 'Checks claims against the library.',
        },
      ),
      publishTool(ledger, folder),
    ],
    llmConfig,
  });
}

const searchTool = (ledger: Ledger) =>
  defineTool({
    name: 'search',
    description: 'Searches the library.',
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }, context) =>
      ledger.count('search', query, context, async () => {
        await delay(250, undefined, { signal: context.abortSignal });
        return searchCorpus(query).map(({ id, title }) => ({ id, title }));
      }),
  });

const readTool = (ledger: Ledger) =>
  defineTool({
    name: 'read_document',
    description: 'Reads a document of the library, page by page.',
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }, context) =>
      ledger.count('read_document', id, context, async () => {
        const document = findDocument(id);
        if (!document) throw new Error(`There is no document "${id}".`);
        for (let page = 1; page <= document.pages; page += 1) {
          await delay(PAGE_MS, undefined, { signal: context.abortSignal });
          if (document.pages > 2) await context.emit('page', { id, page, pages: document.pages });
        }
        return { id, title: document.title, text: document.text };
      }),
  });

const noteTool = (ledger: Ledger) =>
  defineTool({
    name: 'take_note',
    description: 'Keeps a note for the report.',
    inputSchema: z.object({ source: z.string(), text: z.string() }),
    execute: (note, context) =>
      ledger.count('take_note', note.source, context, () => {
        context.updateState<ResearchState>((state) => {
          state.notes.push(note);
        });
        return 'noted';
      }),
  });

/** Never runs without a person's yes, and is started at most once: that is the default for tools that ask. */
const publishTool = (ledger: Ledger, folder: string) =>
  defineTool({
    name: 'publish_report',
    description: 'Publishes a report made of the notes.',
    inputSchema: z.object({ title: z.string(), summary: z.string() }),
    requireApproval: true,
    execute: ({ title, summary }, context) =>
      ledger.count('publish_report', title, context, () => {
        const { notes } = context.getState<ResearchState>();
        const path = join(folder, 'report.md');
        const list = notes.map(({ source, text }) => `- ${text} (${source})`).join('\n');
        writeFileSync(path, `# ${title}\n\n${summary}\n\n${list}\n`);
        context.updateState<ResearchState>((state) => {
          state.published = title;
        });
        return { path };
      }),
  });

/** An agent that the assistant calls like a tool: it has a session of its own, below the assistant's. */
const createFactChecker = (ledger: Ledger, llmConfig: LLMConfig) =>
  defineAgent({
    name: 'fact-checker',
    systemPrompt: CHECKING,
    maxSteps: 10,
    outputSchema: z.object({ supported: z.number(), checked: z.number() }),
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Finds the document that comes closest to a claim.',
        inputSchema: z.object({ claim: z.string() }),
        execute: ({ claim }, context) =>
          ledger.count('look_up', claim, context, async () => {
            await delay(200, undefined, { signal: context.abortSignal });
            const [best] = searchCorpus(claim);
            return best ? { id: best.id, text: best.text } : null;
          }),
      }),
    ],
    llmConfig,
  });
