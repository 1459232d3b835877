import { parentIdOf } from '@helix-agents/core/store';
import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type {
  CheckpointRow,
  ChildReferenceRow,
  InputRow,
  InterruptRow,
  JournalRow,
  MessageRow,
  UsageRow,
} from '@helix-agents/core/store';
import {
  boolean,
  defineTable,
  document,
  integer,
  json,
  nullable,
  text,
  time,
  type Table,
} from './column.ts';

export const sessions: Table<SessionRow> = defineTable<SessionRow>({
  name: '__agents_sessions',
  columns: {
    sessionId: text('session_id'),
    rootId: text('root_id'),
    route: json('route'),
    unitId: text('unit_id'),
    parentStepId: nullable(integer('parent_step_id')),
    parentIndex: nullable(integer('parent_index')),
    agentType: text('agent_type'),
    streamId: text('stream_id'),
    version: integer('version'),
    epoch: integer('epoch'),
    records: integer('records'),
    status: text('status'),
    runId: text('run_id'),
    turn: integer('turn'),
    started: boolean('started'),
    hostKind: text('host_kind'),
    leaseOwner: nullable(text('lease_owner')),
    leaseUntil: nullable(time('lease_until')),
    recoveries: integer('recoveries'),
    stepId: integer('step_id'),
    stepCount: integer('step_count'),
    stepMessage: nullable(integer('step_message')),
    messageCount: integer('message_count'),
    customState: json('custom_state'),
    output: nullable(json('output')),
    error: nullable(json('error')),
    failureReason: nullable(json('failure_reason')),
    closed: boolean('closed'),
    lastCommit: text('last_commit'),
    resumeCount: integer('resume_count'),
    ends: integer('ends'),
    reported: nullable(integer('reported')),
    wakeAt: nullable(time('wake_at')),
    stop: nullable(text('stop')),
    userId: nullable(text('user_id')),
    tags: json('tags'),
    metadata: json('metadata'),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  derived: { parent_session_id: parentIdOf },
});

export const messages: Table<MessageRow> = defineTable<MessageRow>({
  name: '__agents_messages',
  columns: {
    sessionId: text('session_id'),
    sequence: integer('sequence'),
    message: json('message'),
    createdAt: time('created_at'),
  },
  derived: {
    role: ({ message }) => message.role,
    tool_call_id: ({ message }) => (message.role === 'tool' ? message.toolCallId : null),
    // A message without an id of its own gets its number, as a text that sorts.
    message_id: ({ message, sequence }) =>
      (message.role === 'system' ? undefined : message.id) ?? String(sequence).padStart(12, '0'),
  },
});

export const journal: Table<JournalRow> = defineTable<JournalRow>({
  name: '__agents_journal',
  columns: {
    sessionId: text('session_id'),
    stepId: integer('step_id'),
    index: integer('call_index'),
    kind: text('kind'),
    data: json('data'),
    createdAt: time('created_at'),
  },
});

export const openCalls: Table<OpenCallRow> = defineTable<OpenCallRow>({
  name: '__agents_open_calls',
  columns: {
    rootId: text('root_id'),
    toolCallId: text('tool_call_id'),
    part: text('part'),
    kind: text('kind'),
    unitId: text('unit_id'),
    ownerSessionId: text('owner_session_id'),
    ownerStepId: integer('owner_step_id'),
    ownerIndex: integer('owner_index'),
    route: json('route'),
    ownerAgentType: text('owner_agent_type'),
    toolName: text('tool_name'),
    input: json('input'),
    rawInput: nullable(json('raw_input')),
    inputHash: text('input_hash'),
    approvalId: nullable(text('approval_id')),
    timeoutMs: nullable(integer('timeout_ms')),
    deadlineAt: nullable(time('deadline_at')),
    remindAt: nullable(time('remind_at')),
    state: text('state'),
    outcome: nullable(text('outcome')),
    answer: nullable(json('answer')),
    answeredBy: nullable(text('answered_by')),
    answeredAt: nullable(time('answered_at')),
    submissionId: nullable(text('submission_id')),
    settledAt: nullable(time('settled_at')),
    purgeAt: nullable(time('purge_at')),
    retentionMs: integer('retention_ms'),
    userId: nullable(text('user_id')),
    remote: nullable(json('remote')),
    openedAt: time('opened_at'),
  },
});

export const references: Table<ChildReferenceRow> = defineTable<ChildReferenceRow>({
  name: '__agents_sub_session_refs',
  columns: {
    sessionId: text('session_id'),
    subSessionId: text('sub_session_id'),
    agentType: text('agent_type'),
    parentToolCallId: text('parent_tool_call_id'),
    stepId: integer('step_id'),
    index: integer('call_index'),
    state: text('state'),
    continuation: integer('continuation'),
    status: text('status'),
    remote: nullable(json('remote_json')),
    mode: text('mode'),
    name: nullable(text('name')),
    generation: integer('generation'),
    started: boolean('started'),
    told: integer('told'),
    asked: integer('asked'),
    wake: boolean('wake'),
    closingStep: nullable(integer('closing_step')),
    closingAt: nullable(time('closing_at')),
    closeReason: nullable(text('close_reason')),
    startedAt: time('started_at'),
    completedAt: nullable(time('completed_at')),
  },
});

export const checkpoints: Table<CheckpointRow> = defineTable<CheckpointRow>({
  name: '__agents_checkpoints',
  columns: {
    sessionId: text('session_id'),
    version: integer('version'),
    checkpointId: text('checkpoint_id'),
    runId: text('run_id'),
    stepId: integer('step_id'),
    stepCount: integer('step_count'),
    status: text('status'),
    messageCount: integer('message_count'),
    customState: json('custom_state'),
    streamSequence: integer('stream_sequence'),
    timestamp: time('timestamp'),
  },
});

export const runs: Table<RunRow> = defineTable<RunRow>({
  name: '__agents_runs',
  columns: {
    runId: text('run_id'),
    sessionId: text('session_id'),
    turn: integer('turn'),
    status: text('status'),
    trigger: text('trigger_kind'),
    stepCount: integer('step_count'),
    previousRunId: nullable(text('previous_run_id')),
    fromCheckpointId: nullable(text('from_checkpoint_id')),
    startSequence: integer('start_sequence'),
    startedAt: time('started_at'),
    completedAt: nullable(time('completed_at')),
  },
});

export const interrupts: Table<InterruptRow> = defineTable<InterruptRow>({
  name: '__agents_interrupt_flags',
  columns: {
    sessionId: text('session_id'),
    runId: text('run_id'),
    reason: nullable(json('reason')),
    scope: text('scope'),
    timestamp: time('timestamp'),
  },
});

export const inputs: Table<InputRow> = defineTable<InputRow>({
  name: '__agents_inputs',
  columns: {
    rootId: text('root_id'),
    sessionId: text('session_id'),
    inputId: text('input_id'),
    kind: text('kind'),
    seq: integer('seq'),
    sender: nullable(text('sender')),
    content: json('content'),
    end: integer('end_number'),
    wake: boolean('wake'),
    state: text('state'),
    createdAt: time('created_at'),
    settledAt: nullable(time('settled_at')),
    purgeAt: nullable(time('purge_at')),
  },
});

export const usage: Table<UsageRow> = defineTable<UsageRow>({
  name: '__agents_usage',
  columns: {
    id: text('id'),
    sessionId: text('session_id'),
    rootId: text('root_id'),
    runId: text('run_id'),
    stepCount: integer('step_count'),
    kind: text('kind'),
    sourceType: text('source_type'),
    sourceName: text('source_name'),
    data: document('data'),
    timestamp: time('timestamp'),
  },
});
