import type pg from 'pg';

/** Schema and rows as statements that make the same database again. */
export async function dumpDatabase(pool: pg.Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ table_name: string }>(
    `select table_name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  );
  const made = [];
  for (const { table_name: name } of tables) made.push(await dumpSchema(pool, name));
  const { rows: views } = await pool.query<{ sql: string }>(
    `select format('create view %I as %s', viewname, definition) as sql
     from pg_views where schemaname = 'public'`,
  );
  const filled = [];
  for (const { table_name: name } of tables) filled.push(...(await dumpRows(pool, name)));
  return [...made.flat(), ...views.map(({ sql }) => sql), ...filled, ''].join('\n');
}

async function dumpSchema(pool: pg.Pool, table: string): Promise<string[]> {
  const { rows: columns } = await pool.query<{ line: string }>(
    `select format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when c.collname is not null and c.collname <> 'default'
          then format(' collate %I', c.collname) else '' end,
        case when a.attidentity = 'a' then ' generated always as identity' else '' end
          || case when a.attnotnull then ' not null' else '' end,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
     from pg_attribute a
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     left join pg_collation c on c.oid = a.attcollation
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table],
  );
  const { rows: constraints } = await pool.query<{ line: string; name: string }>(
    `select conname as name, format('constraint %I %s', conname, pg_get_constraintdef(oid)) as line
     from pg_constraint where conrelid = $1::regclass and contype in ('p', 'u') order by conname`,
    [table],
  );
  const { rows: indexes } = await pool.query<{ sql: string }>(
    `select indexdef as sql from pg_indexes
     where tablename = $1 and indexname <> all ($2) order by indexname`,
    [table, constraints.map(({ name }) => name)],
  );
  const lines = [...columns, ...constraints].map(({ line }) => `  ${line}`).join(',\n');
  return [`create table ${table} (\n${lines}\n);`, ...indexes.map(({ sql }) => `${sql};`)];
}

async function dumpRows(pool: pg.Pool, table: string): Promise<string[]> {
  // JSON as it is stored, not as `pg` reads it.
  const types = { getTypeParser: () => String };
  const { rows } = await pool.query<{ [column: string]: unknown }>({
    text: `select * from ${table}`,
    types,
  });
  return rows.map((row) => {
    const values = Object.values(row).map((value) => literal(value));
    const columns = Object.keys(row).join(', ');
    return `insert into ${table} (${columns}) overriding system value values (${values.join(', ')});`;
  });
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value as number);
}
