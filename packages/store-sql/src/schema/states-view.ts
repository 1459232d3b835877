import type { Dialect } from '../dialect.ts';

/** The JSON functions of a dialect. */
interface JsonWords {
  readonly createView: string;
  /** The text at a key of a JSON column, or the whole column as text. */
  textIn(column: string, key?: string): string;
  /** A JSON column as a part of other JSON. */
  part(column: string): string;
  /** An object of names and values, as a part of other JSON. */
  object(fields: Readonly<Record<string, string>>): string;
  /** All rows as one object, as text. */
  objectOfRows(key: string, value: string): string;
  /** The values of all rows, each once, as a part of other JSON: `from` is the rest of the query. */
  listOfRows(value: string, from: string): string;
  /** Whether a list in a JSON column has a text. */
  includes(column: string, text: string): string;
  /** Milliseconds of the database's clock. */
  readonly now: string;
  /** A part on its own, as text. */
  text(part: string): string;
}

const sqlite: JsonWords = {
  createView: 'create view if not exists',
  textIn: (column, key) => `json_extract(${column}, '$${key === undefined ? '' : `.${key}`}')`,
  part: (column) => `json(${column})`,
  object: (fields) => `json_object(${pairs(fields)})`,
  objectOfRows: (key, value) => `json_group_object(${key}, ${value})`,
  listOfRows: (value, from) => `json((select json_group_array(distinct ${value}) ${from}))`,
  includes: (column, text) =>
    `exists (select 1 from json_each(${column}) as item where item.value = ${text})`,
  now: `(unixepoch('subsec') * 1000)`,
  text: (part) => part,
};

const postgres: JsonWords = {
  createView: 'create or replace view',
  textIn: (column, key) =>
    key === undefined ? `${column}::json #>> '{}'` : `${column}::json ->> '${key}'`,
  part: (column) => `${column}::json`,
  object: (fields) => `json_build_object(${pairs(fields)})`,
  objectOfRows: (key, value) => `coalesce(json_object_agg(${key}, ${value}), '{}')::text`,
  listOfRows: (value, from) => `(select coalesce(json_agg(distinct ${value}), '[]') ${from})`,
  includes: (column, text) => `${column}::jsonb @> to_jsonb(${text})`,
  now: `(extract(epoch from clock_timestamp()) * 1000)`,
  text: (part) => `${part}::text`,
};

function pairs(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `\n        '${name}', ${value}`)
    .join(',');
}

/** SQL of the columns about human calls. */
function callColumns(json: JsonWords): Readonly<Record<CallColumn, string>> {
  const calls = (select: string, where: string): string => `(select ${select}
      from __agents_open_calls c
      where ${where})`;
  const name = `c.tool_call_id || case when c.part = '' then '' else '#' || c.part end`;
  const byCall = (value: string): string => json.objectOfRows(name, value);
  const own = 'c.owner_session_id = s.session_id';
  const ofTree = 'c.root_id = s.session_id';
  // As `SessionState` shows them: a call that was withdrawn waits for nobody, nor does a session that was interrupted for its answers.
  const isPending = `(c.state = 'open' or (c.state = 'answered'
        and s.status <> 'interrupted' and c.outcome not in ('cancelled', 'superseded')))`;
  const deadline = calls('min(c.deadline_at)', `${own} and c.state = 'open'`);
  const pending = json.object({
    toolCallId: 'c.tool_call_id',
    toolName: 'c.tool_name',
    kind: 'c.kind',
    approvalId: 'c.approval_id',
    deadlineAt: 'c.deadline_at',
    submittedAt: 'c.answered_at',
    outcome: 'c.outcome',
    response: json.part('c.answer'),
  });
  const completed = json.object({
    toolCallId: 'c.tool_call_id',
    toolName: 'c.tool_name',
    outcome: 'c.outcome',
    submittedAt: 'c.answered_at',
    completedAt: 'c.settled_at',
  });
  return {
    deadline,
    pending: calls(byCall(pending), `${own} and ${isPending}`),
    completed: calls(
      byCall(completed),
      `${ofTree} and c.state = 'settled' and coalesce(c.purge_at > ${json.now}, true)`,
    ),
    ownership: calls(byCall('c.owner_session_id'), `${ofTree} and ${isPending}`),
    suspension: suspensionContext(json, deadline),
  };
}

function suspensionContext(json: JsonWords, deadline: string): string {
  const awaited = `from __agents_open_calls c
      where c.root_id = s.root_id and c.state <> 'settled' and c.owner_session_id <> s.session_id
        and ${json.includes('c.route', 's.session_id')}`;
  const tracing = json.object({
    userId: 's.user_id',
    tags: json.part('s.tags'),
    metadata: json.part('s.metadata'),
  });
  const context = json.object({
    suspendedStepId: 's.step_id',
    suspendedAwaitingChildren: json.listOfRows('c.owner_session_id', awaited),
    tracingContext: tracing,
    expiresAt: deadline,
    failureReason: json.textIn('s.failure_reason'),
  });
  return json.text(context);
}

type CallColumn = 'deadline' | 'pending' | 'completed' | 'ownership' | 'suspension';

/**
 * The view that operators' queries read: public status, and the three maps of human calls. Pending calls are listed at their owner,
 * ownership and completed calls at the root. Read only.
 */
export function statesView(dialect: Dialect): string {
  const json = dialect.name === 'postgres' ? postgres : sqlite;
  const aborted = `${json.textIn('s.failure_reason')} = 'aborted'`;
  const error = json.textIn('s.error', 'message');
  const { deadline, pending, completed, ownership, suspension } = callColumns(json);
  return `${json.createView} __agents_states as
  select
    s.session_id,
    s.agent_type,
    s.parent_session_id,
    s.root_id as root_session_id,
    s.stream_id,
    s.run_id,
    s.step_count,
    case
      when s.status in ('interrupted', 'completed', 'failed') then s.status
      else 'active'
    end as status,
    s.status as run_status,
    s.output,
    ${error} as error,
    ${json.textIn('s.failure_reason')} as failure_reason,
    case when ${aborted} then 1 else 0 end as aborted,
    case when ${aborted} then ${error} end as abort_reason,
    s.custom_state,
    s.user_id,
    s.tags,
    s.metadata,
    ${pending} as pending_client_tool_calls,
    ${completed} as completed_client_tool_calls,
    ${ownership} as client_tool_call_ownership,
    ${deadline} as expires_at,
    case when s.status like 'suspended%' then ${suspension} end as suspension_context,
    s.resume_count,
    s.version,
    s.created_at,
    s.updated_at
  from __agents_sessions s`;
}
