import { z } from 'zod';

/** A list whose length is checked before its items, so that the items of a list that is too long are never validated. */
export function boundedArray<T>(
  item: z.ZodType<T>,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): z.ZodType<T[]> {
  const list = min > 0 ? z.array(item).min(min) : z.array(item);
  return z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= max) return value;
    context.addIssue({ code: 'custom', message: `must have at most ${max} items` });
    return z.NEVER;
  }, list.max(max)) as unknown as z.ZodType<T[]>;
}

/** The same for an object of any keys. */
export function boundedRecord<T>(value: z.ZodType<T>, max: number): z.ZodType<Record<string, T>> {
  return z.preprocess(
    (given, context) => {
      if (!hasMoreKeys(given, max)) return given;
      context.addIssue({ code: 'custom', message: `must have at most ${max} entries` });
      return z.NEVER;
    },
    z.record(z.string(), value).meta({ maxProperties: max }),
  ) as unknown as z.ZodType<Record<string, T>>;
}

function hasMoreKeys(value: unknown, max: number): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > max;
}
