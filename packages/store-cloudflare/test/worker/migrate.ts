import { D1StateStore, runMigration, type D1Like } from '@helix-agents/store-cloudflare/d1';

interface Env {
  readonly CODE: D1Like;
  readonly FILE: D1Like;
  readonly EMPTY: D1Like;
}

export interface Migrated {
  readonly versions: readonly number[];
  readonly byCode: readonly unknown[];
  readonly byFile: readonly unknown[];
  /** What a store says that must not migrate. */
  readonly refusals: Readonly<Record<'EMPTY' | 'FILE', string>>;
}

/** Migrates one database ten times at once, and another by the statements of the body. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const statements = (await request.json()) as string[];
    const runs = await Promise.all(Array.from({ length: 10 }, () => runMigration(env.CODE)));
    await env.FILE.batch(statements.map((sql) => env.FILE.prepare(sql)));
    return Response.json({
      versions: runs.map(({ current }) => current),
      byCode: await schemaOf(env.CODE),
      byFile: await schemaOf(env.FILE),
      refusals: { EMPTY: await refusalOf(env.EMPTY), FILE: await refusalOf(env.FILE) },
    } satisfies Migrated);
  },
};

async function schemaOf(database: D1Like): Promise<readonly unknown[]> {
  const sql = `select type, name, sql from sqlite_master where name like '%agents%' order by type, name`;
  return (await database.prepare(sql).all()).results;
}

async function refusalOf(database: D1Like): Promise<string> {
  const { sessions } = new D1StateStore({ database, migrate: false });
  const read = sessions.readSession({ rootId: 's', sessionId: 's' });
  return read.then(
    () => '',
    (error: unknown) => String(error),
  );
}
