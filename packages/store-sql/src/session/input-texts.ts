import { MAX_WAITING_MESSAGES, RECEIVING } from '@helix-agents/core/store';
import type { SqlClock } from '../clock.ts';
import type { Dialect } from '../dialect.ts';
import { memoize } from '../memoize.ts';
import { columnNames } from '../rows/column.ts';
import { inputs } from '../rows/tables.ts';

/**
 * `put` gives the row that it inserted. `raise` then raises and marks the receiver, and gives its status; null where `put` does it all.
 * `?1` is the receiver, `?2` the input, `?3` the time, `?4` the sender, `?5` the content.
 */
export interface PutText {
  readonly put: string;
  readonly raise: string | null;
}

export interface InputTexts {
  /** By a call. */
  readonly putMessage: PutText;
  /** By a person: `?6` is the id of the message. */
  readonly putPersons: PutText;
  /** The same with the user in `?7`. */
  readonly putUsers: PutText;
  /** `?6` is the end. */
  readonly putNotice: PutText;
  /** `?1` session, `?2` end. */
  readonly report: string;
  /** `?1` session, `?2` the time. */
  readonly purge: string;
}

export const inputTextsOf: (dialect: Dialect) => (clock: SqlClock) => InputTexts = memoize(
  (dialect: Dialect) =>
    memoize((clock: SqlClock): InputTexts => {
      const put = dialect.writesInOneStatement ? inOneStatement : inTwoStatements;
      const now = clock.at('?3');
      return {
        putMessage: put(now, message(isReceiving)),
        putPersons: put(now, message(isRunning, notSaid)),
        putUsers: put(now, message(isRunning, notSaid, isUsers)),
        putNotice: put(now, notice),
        report: `update __agents_sessions set reported = ?2 where session_id = ?1 and reported < ?2`,
        purge: `delete from __agents_inputs
          where session_id = ?1 and state <> 'waiting' and purge_at <= ${clock.at('?2')}`,
      };
    }),
);

const columns = columnNames(inputs);

const SUSPENDED = `('suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial')`;
const isReceiving = `s.status in (${RECEIVING.map((status) => `'${status}'`).join(', ')})`;
const isRunning = `s.status = 'running'`;
const notSaid = `not exists (select 1 from __agents_messages as m
    where m.session_id = ?1 and m.message_id = ?6 and m.role = 'user')`;
const isUsers = `(s.user_id = ?7 or (s.user_id is null and cast(?7 as text) is null))`;
const hasRoom = `(select count(*) from __agents_inputs as w
    where w.session_id = ?1 and w.state = 'waiting' and w.kind = 'message') < ${MAX_WAITING_MESSAGES}`;

/** A kind of input: SQL about the receiver `s` and, of a notice, the live reference `r`. */
interface Kind {
  readonly kind: 'message' | 'notice';
  readonly conditions: readonly string[];
  readonly end: string;
  readonly wake: string;
  /** Whether the receiver's status has the mark set. */
  marks(status: string, wake: string): string;
}

function message(...conditions: readonly string[]): Kind {
  return {
    kind: 'message',
    conditions: ['s.closed = 0', ...conditions, hasRoom],
    end: 's.ends + 1',
    wake: '1',
    marks: (status) => `${status} = 'completed'`,
  };
}

const notice: Kind = {
  kind: 'notice',
  conditions: [],
  end: '?6',
  wake: 'r.wake',
  marks: (status, wake) => `${status} in ${SUSPENDED} or (${status} = 'completed' and ${wake} = 1)`,
};

const liveReference = `r.session_id = ?1 and r.sub_session_id = ?4 and r.state = 'live' and r.told < ?6`;

/**
 * For a batch that is atomic. An input that was there has a lower `seq` than the next value of `records`, so that a repeat raises
 * nothing.
 */
function inTwoStatements(now: string, kind: Kind): PutText {
  const isNotice = kind.kind === 'notice';
  const from = isNotice
    ? `__agents_sub_session_refs as r join __agents_sessions as s on s.session_id = r.session_id`
    : '__agents_sessions as s';
  const own = `from __agents_inputs as i where i.session_id = ?1 and i.input_id = ?2`;
  const where = isNotice ? [liveReference] : ['s.session_id = ?1'];
  return {
    put: `insert into __agents_inputs (${columns})
      select s.root_id, s.session_id, ?2, '${kind.kind}', s.records + 1, ?4, ?5, ${kind.end},
        ${kind.wake}, 'waiting', ${now}, null, null
      from ${from} where ${[...where, ...kind.conditions].join(' and ')}
      on conflict (session_id, input_id) do nothing returning ${columns}`,
    raise: `update __agents_sessions set records = records + 1,
        wake_at = case when ${kind.marks('status', `(select i.wake ${own})`)} then ${now} else wake_at end
      where session_id = ?1 and records + 1 = (select i.seq ${own})
      returning status as receiver_status`,
  };
}

/**
 * For a dialect whose statements write several tables. The reference is locked before the session, as in commits. Of two that put
 * the same at once the second fails at the key, and finds the row when it reads.
 */
function inOneStatement(now: string, kind: Kind): PutText {
  const isNotice = kind.kind === 'notice';
  const live = `live as materialized (select r.wake from __agents_sub_session_refs as r
      where ${liveReference} for update)`;
  const isNew = `not exists (select 1 from __agents_inputs as i
      where i.session_id = ?1 and i.input_id = ?2)`;
  const wake = isNotice ? 'r.wake' : kind.wake;
  const end = isNotice ? '?6' : 's.ends + 1';
  const where = ['s.session_id = ?1', ...kind.conditions, isNew].join(' and ');
  return {
    put: `with ${isNotice ? `${live}, ` : ''}raised as (
        update __agents_sessions as s set records = s.records + 1,
          wake_at = case when ${kind.marks('s.status', wake)} then ${now} else s.wake_at end
        ${isNotice ? 'from live as r' : ''} where ${where}
        returning s.root_id, s.session_id, s.records, s.status, cast(${end} as bigint) as end_number,
          cast(${wake} as bigint) as wake),
      put as (insert into __agents_inputs (${columns})
        select q.root_id, q.session_id, ?2, '${kind.kind}', q.records, ?4, ?5, q.end_number, q.wake,
          'waiting', ${now}, null, null from raised as q
        returning ${columns})
      select ${columns
        .split(', ')
        .map((name) => `p.${name}`)
        .join(', ')}, q.status as receiver_status
      from put as p, raised as q`,
    raise: null,
  };
}
