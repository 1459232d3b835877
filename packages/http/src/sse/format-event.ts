/** One event as text: its data as JSON, with an `id` to continue after and a name where it has them. */
export function formatEvent(
  data: unknown,
  { id, event }: { readonly id?: string | number; readonly event?: string } = {},
): string {
  const named = event === undefined ? '' : `event: ${event}\n`;
  const numbered = id === undefined ? '' : `id: ${id}\n`;
  return `${numbered}${named}data: ${JSON.stringify(data)}\n\n`;
}
