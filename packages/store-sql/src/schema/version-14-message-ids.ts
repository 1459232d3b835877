import type { Dialect } from '../dialect.ts';

/**
 * A session has one user message with an id at most. Of those that were stored twice the first one keeps the id as its key; a later one
 * gets its number, like a message without an id.
 */
export function keyUserMessages({ name }: Dialect): readonly string[] {
  const number =
    name === 'postgres' ? `lpad(m.sequence::text, 12, '0')` : `printf('%012d', m.sequence)`;
  return [
    `create index if not exists __agents_messages_twice on __agents_messages (session_id, message_id, sequence)
    where role = 'user'`,
    `update __agents_messages as m set message_id = ${number}
    where m.role = 'user' and exists (select 1 from __agents_messages as f
      where f.role = 'user' and f.session_id = m.session_id and f.message_id = m.message_id
        and f.sequence < m.sequence)`,
    `create unique index if not exists __agents_messages_by_id on __agents_messages (session_id, message_id)
    where role = 'user'`,
    `drop index if exists __agents_messages_twice`,
  ];
}
