import type { CardChat } from '@helix-agents/ai-sdk/react';
import type { ReactNode } from 'react';
import { ApprovalCard } from './approval-card.tsx';
import { FileChip } from './files.tsx';
import { Markdown } from './markdown.tsx';
import { Reasoning } from './reasoning.tsx';
import { SubAgentCard } from './sub-agent-card.tsx';
import { ToolCard } from './tool-card.tsx';
import type { CallPart, Part, ProgressData, SubAgentData } from './parts.ts';
import type { ToolSchemas } from './use-tool-schemas.ts';

interface Props {
  readonly message: { readonly id: string; readonly role: string; readonly parts: readonly Part[] };
  readonly chat: CardChat;
  readonly schemas: ToolSchemas;
  readonly isLast: boolean;
  readonly live: boolean;
  readonly onDecided: () => void;
}

export function Message({ message, chat, schemas, isLast, live, onDecided }: Props) {
  const { role, parts } = message;
  const progress = new Map<string, ProgressData>();
  for (const part of parts) {
    if (part.type === 'data-progress') progress.set(part.id ?? '', part.data as ProgressData);
  }
  const show = (part: Part) => (
    <PartView
      key={part.toolCallId ?? `${part.type}-${parts.indexOf(part)}`}
      part={part}
      progress={progress.get(part.toolCallId ?? '')}
      live={live && part === parts.at(-1)}
      {...{ chat, schemas, onDecided }}
    />
  );
  return (
    <article className={`message ${role}`} data-live={live || undefined}>
      <h2 className="hidden">{role === 'user' ? 'You' : 'Assistant'}</h2>
      {parts
        .filter((part) => !part.toolMetadata)
        .map((part) =>
          part.type === 'data-subagent' ? (
            <SubAgent key={part.id} data={part.data as SubAgentData} {...{ parts, isLast, show }} />
          ) : (
            show(part)
          ),
        )}
    </article>
  );
}

interface SubAgentProps extends Pick<Props, 'isLast'> {
  readonly data: SubAgentData;
  readonly parts: readonly Part[];
  readonly show: (part: Part) => ReactNode;
}

function SubAgent({ data, parts, isLast, show }: SubAgentProps) {
  const own = parts.filter(({ toolMetadata }) => toolMetadata?.agentId === data.sessionId);
  const waits = isLast && own.some(({ state }) => state === 'approval-requested');
  return (
    <SubAgentCard data={data} waits={waits}>
      {own.map(show)}
    </SubAgentCard>
  );
}

interface PartProps extends Pick<Props, 'chat' | 'schemas' | 'live' | 'onDecided'> {
  readonly part: Part;
  readonly progress: ProgressData | undefined;
}

function PartView({ part, progress, chat, schemas, live, onDecided }: PartProps) {
  if (part.type === 'text') return part.text ? <Markdown text={part.text} /> : null;
  if (part.type === 'reasoning') {
    return part.text ? <Reasoning text={part.text} live={live} /> : null;
  }
  if (part.type === 'file') return <FileChip file={part} />;
  if (part.type === 'data-stopped') return <p className="small quiet stopped">Stopped</p>;
  if (!part.type.startsWith('tool-')) return null;
  const schema = schemas[part.type.slice('tool-'.length)];
  // Of an older turn the approval itself is not kept: a tool that asks had one.
  const over = schema !== undefined && part.state?.startsWith('output-');
  if (part.approval !== undefined || over) {
    return <ApprovalCard part={part as CallPart} schema={schema ?? {}} {...{ chat, onDecided }} />;
  }
  return <ToolCard part={part} progress={progress} />;
}
