import { Redis } from 'ioredis';
import pg from 'pg';

/** What a kind of request cost so far. */
export interface Requests {
  count: number;
  ms: number;
  /** Characters of its parameters. */
  sent: number;
}

/** Counts and times what this whole process asks of Postgres and Redis, by text, until the returned function is called. */
export function watchServer(requests: Map<string, Requests>): () => void {
  // Called on their own objects below.
  // oxlint-disable-next-line typescript/unbound-method
  const { query } = pg.Pool.prototype;
  // oxlint-disable-next-line typescript/unbound-method
  const { call } = Redis.prototype;
  const timed = async (text: string, values: unknown, answer: Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await answer.catch(() => {});
    const one = requests.get(text) ?? { count: 0, ms: 0, sent: 0 };
    one.count += 1;
    one.ms += performance.now() - start;
    one.sent += JSON.stringify(values).length;
    requests.set(text, one);
  };
  Object.assign(pg.Pool.prototype, {
    query(this: pg.Pool, ...args: [string | pg.QueryConfig, unknown[]?]) {
      const answer = Reflect.apply(query, this, args) as unknown as Promise<unknown>;
      const [first, values] = args;
      const config = typeof first === 'string' ? { text: first, values } : first;
      void timed(config.text, config.values, answer);
      return answer;
    },
  });
  Object.assign(Redis.prototype, {
    call(this: Redis, command: string, args: unknown[]) {
      const answer = Reflect.apply(call, this, [command, args]) as Promise<unknown>;
      // Scripts by the beginning of their hash; the others have keys of their own.
      const script = command === 'EVALSHA' ? ` ${String(args[0]).slice(0, 8)}` : '';
      void timed(command + script, args, answer);
      return answer;
    },
  });
  return () => {
    Object.assign(pg.Pool.prototype, { query });
    Object.assign(Redis.prototype, { call });
  };
}
