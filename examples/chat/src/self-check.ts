/** Loads the page and says hello, over HTTP like a browser. Returns the first words of the answer. */
export async function checkConversation(url: string): Promise<string> {
  const page = await fetch(url);
  if (!page.ok || !(await page.text()).includes('id="root"'))
    throw new Error('The page is not served.');
  const id = crypto.randomUUID();
  const message = { id: `u-${id}`, role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
  const response = await fetch(`${url}api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, messages: [message], trigger: 'submit-message' }),
    signal: AbortSignal.timeout(60_000),
  });
  const events = (await response.text()).matchAll(/^data: (\{.*\})$/gm);
  const chunks = [...events].map(([, json]) => JSON.parse(json ?? '{}') as Chunk);
  const failed = chunks.find(({ type }) => type === 'error');
  if (!response.ok || failed)
    throw new Error(failed?.errorText ?? `The chat answered ${response.status}.`);
  const text = chunks.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
  return text.split(/(?<=[.!?])\s/)[0] ?? '';
}

interface Chunk {
  readonly type: string;
  readonly delta?: string;
  readonly errorText?: string;
}
