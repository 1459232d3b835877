/** Empties the tables of the stores, so that each test begins with an empty database. */
export async function clear(
  all: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<void> {
  const tables = await all(
    `select name from sqlite_master where type = 'table' and name like '\\_\\_agents\\_%' escape '\\'
      and name <> '__agents_migrations'`,
  );
  for (const { name } of tables) await all(`delete from ${String(name)}`);
}
