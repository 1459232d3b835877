import type { ApprovalAnswer } from '@helix-agents/ai-sdk/react';
import type { ReactNode } from 'react';
import { ApprovalCard } from './approval-card.tsx';
import { Markdown } from './markdown.tsx';
import { SubAgentCard } from './sub-agent-card.tsx';
import { ToolCard } from './tool-card.tsx';
import type { Part, ProgressData, SubAgentData } from './parts.ts';

interface Props {
  readonly message: { readonly id: string; readonly role: string; readonly parts: readonly Part[] };
  readonly isLast: boolean;
  readonly live: boolean;
  readonly onDecide: (decision: ApprovalAnswer) => void;
}

export function Message({ message, isLast, live, onDecide }: Props) {
  const { role, parts } = message;
  const progress = new Map<string, ProgressData>();
  for (const part of parts) {
    if (part.type === 'data-progress') progress.set(part.id ?? '', part.data as ProgressData);
  }
  const rawInputs = new Map(
    parts.flatMap(({ type, id, data }) => (type === 'data-raw-input' ? [[id, data] as const] : [])),
  );
  const show = (part: Part) => (
    <PartView
      key={part.toolCallId ?? `${part.type}-${parts.indexOf(part)}`}
      part={part}
      progress={progress.get(part.toolCallId ?? '')}
      rawInput={rawInputs.get(part.toolCallId)}
      isLast={isLast}
      onDecide={onDecide}
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

interface PartProps {
  readonly part: Part;
  readonly progress: ProgressData | undefined;
  /** What a person edits instead of the input that is shown. */
  readonly rawInput: unknown;
  readonly isLast: boolean;
  readonly onDecide: (decision: ApprovalAnswer) => void;
}

function PartView({ part, progress, rawInput, isLast, onDecide }: PartProps) {
  if (part.type === 'text') return part.text ? <Markdown text={part.text} /> : null;
  if (part.type === 'data-stopped') return <p className="small quiet stopped">Stopped</p>;
  if (!part.type.startsWith('tool-')) return null;
  const asked = part.approval !== undefined || part.state === 'output-denied';
  if (asked) {
    const toEdit = (rawInput ?? part.input ?? {}) as Record<string, unknown>;
    return <ApprovalCard superseded={!isLast} {...{ part, toEdit, onDecide }} />;
  }
  return <ToolCard part={part} progress={progress} />;
}
