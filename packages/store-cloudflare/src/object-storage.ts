/** The SQL of a Durable Object: `ctx.storage.sql`. */
export interface SqlStorageLike {
  exec(sql: string, ...values: unknown[]): { toArray(): unknown[] };
}

/** Runs a template and gives its rows at once, such as `this.sql` of libraries for Durable Objects. */
export type SqlTemplate = (strings: TemplateStringsArray, ...values: never[]) => unknown[];

/** Undoes all that the callback wrote if it throws: `transactionSync` of `ctx.storage`. */
export interface TransactionsLike {
  transactionSync<T>(work: () => T): T;
}

/** What stores need of the object they are in. */
export interface ObjectStorage {
  readonly sql: SqlStorageLike | SqlTemplate;
  /** `ctx.storage` of the same object. A template cannot undo what it wrote, and a commit is whole or not at all. */
  readonly storage: TransactionsLike;
}

/** Runs one statement with `?1`, `?2` … for its values. */
export type Exec = (sql: string, values: readonly unknown[]) => unknown[];

export function execOf(sql: SqlStorageLike | SqlTemplate): Exec {
  if (typeof sql !== 'function') return (text, values) => sql.exec(text, ...values).toArray();
  return (text, values) => {
    const { strings, places } = split(text);
    return sql(strings, ...(places.map((place) => values[place]) as never[]));
  };
}

interface Template {
  readonly strings: TemplateStringsArray;
  /** The position of the value after each string but the last. */
  readonly places: readonly number[];
}

const templates = new Map<string, Template>();

/** Statements have a bounded number of texts, so none is ever forgotten. */
function split(text: string): Template {
  const known = templates.get(text);
  if (known) return known;
  const parts = text.split(/\?(\d+)/);
  const strings = parts.filter((_, index) => index % 2 === 0);
  const places = parts.filter((_, index) => index % 2 === 1).map((number) => Number(number) - 1);
  const made = { strings: Object.assign(strings, { raw: strings }), places };
  templates.set(text, made);
  return made;
}
