import type { z } from 'zod';

/** Metadata of a client: it cannot hold what the framework itself says about a message or a session. */
export function withoutMarkers<T extends object>(
  metadata: z.ZodType<T>,
  markers: readonly string[],
): z.ZodType<T> {
  return metadata
    .superRefine((value, context) => {
      for (const key of markers.filter((marker) => Object.hasOwn(value, marker))) {
        const message = 'only the server sets this; leave it out';
        context.addIssue({ code: 'custom', path: [key], message });
      }
    })
    .describe(`Without ${markers.join(', ')}: the server's own.`);
}
