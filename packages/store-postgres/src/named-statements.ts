import type { Logger } from '@helix-agents/core';
import { codeOf } from './errors.ts';
import type { NamingPgClient, PgClient, PgResult } from './pg-client.ts';

/** Sends one statement and gives its result. */
export type Send = (text: string, values: unknown[]) => Promise<PgResult>;

/** Whether a client takes named statements: those of `pg` and Neon, which have `connect`, do; a bare `query` may not. */
export function takesNames(client: PgClient): client is NamingPgClient {
  return typeof Reflect.get(client, 'connect') === 'function';
}

export function sendUnnamed(client: PgClient): Send {
  return (text, values) => client.query(text, values);
}

/**
 * Sends statements under names, so that Postgres plans each text once per connection.
 *
 * Owns: the names, and giving them up behind a pooler that does not keep them (PgBouncer in transaction mode before 1.21, or without
 * `max_prepared_statements`; a pooler that resets connections).
 * Does not own: any other error, and retries of statements that may have run.
 *
 * I1. A name means the same text on all connections and in all processes.
 * I2. A statement is sent again only after an error that proves that it did not run: its name was unknown or taken.
 * I3. After the first such error all further statements leave without a name. One warning is logged.
 */
export function sendNamed(client: NamingPgClient, logger: Logger): Send {
  const unnamed = sendUnnamed(client);
  let losesNames = false;
  return async (text, values) => {
    if (losesNames) return unnamed(text, values);
    try {
      return await client.query({ name: nameOf(text), text, values });
    } catch (error) {
      if (!isNameError(error)) throw error;
      if (!losesNames) logger.warn('store.statement_names_lost', { code: codeOf(error), hint });
      losesNames = true;
      return unnamed(text, values);
    }
  };
}

const hint =
  'A pooler in front of Postgres does not keep prepared statements: this process goes on without them, at about half the speed. Let the pooler keep them (PgBouncer 1.21 and later: max_prepared_statements), or set prepared: false to be rid of this warning.';

/** The stores use a bounded number of texts, so the server keeps a bounded number of plans. */
const names = new Map<string, string>();
/** Made at the first use: Workers have no random numbers while a module is loaded. */
let prefix: string | undefined;

/** Random for each copy of this module, because connections are shared between processes behind a pooler (I1). */
function nameOf(text: string): string {
  prefix ??= `helix_${crypto.randomUUID().replaceAll('-', '')}`;
  const name = names.get(text) ?? `${prefix}_${names.size}`;
  names.set(text, name);
  return name;
}

/** SQLSTATE of an unknown name (26000) and of a taken one (42P05), which Postgres checks before it runs a statement. */
const NAME_ERRORS: ReadonlySet<string> = new Set(['26000', '42P05']);
/** A pooler that tracks names reports an unknown one as a protocol violation, which has other causes too. */
const UNKNOWN_TO_POOLER = /prepared statement.*(did|does) not exist/;

function isNameError(error: unknown): boolean {
  const code = codeOf(error);
  if (NAME_ERRORS.has(code)) return true;
  return code === '08P01' && error instanceof Error && UNKNOWN_TO_POOLER.test(error.message);
}
