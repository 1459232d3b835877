/** One request per route, each naming the session given. */
export function everyRoute(sessionId: string): readonly RouteCall[] {
  const id = encodeURIComponent(sessionId);
  const body = { sessionId };
  const submission = { ...body, toolCallId: 'color', result: { color: 'x' } };
  return [
    {
      operation: 'start',
      method: 'POST',
      path: '/start',
      body: { ...body, agentType: 'painter', message: 'x' },
    },
    { operation: 'resume', method: 'POST', path: '/resume', body },
    { operation: 'interrupt', method: 'POST', path: '/interrupt', body },
    { operation: 'abort', method: 'POST', path: '/abort', body },
    {
      operation: 'submit-tool-result',
      method: 'POST',
      path: '/submit-tool-result',
      body: submission,
    },
    { operation: 'sse', method: 'GET', path: `/sse?sessionId=${id}` },
    { operation: 'status', method: 'GET', path: `/status?sessionId=${id}` },
    { operation: 'get-session', method: 'GET', path: `/sessions/${id}` },
    { operation: 'list-sessions', method: 'GET', path: '/sessions' },
    { operation: 'list-open-calls', method: 'GET', path: `/open-calls?sessionId=${id}` },
    { operation: 'openapi', method: 'GET', path: '/openapi.json' },
    { operation: 'chat', method: 'POST', path: '/chat', body: { id: sessionId, messages: [] } },
    { operation: 'chat-stream', method: 'GET', path: `/chat/${id}/stream` },
    { operation: 'chat-snapshot', method: 'GET', path: `/chat/${id}/snapshot` },
    {
      operation: 'submit-tool-result',
      method: 'POST',
      path: `/chat/${id}/submit-tool-result`,
      body: { toolCallId: 'color', result: 1 },
    },
    { operation: 'interrupt', method: 'POST', path: `/chat/${id}/interrupt`, body: {} },
    { operation: 'abort', method: 'POST', path: `/chat/${id}/abort`, body: {} },
  ];
}

export interface RouteCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

export function toRequest(
  call: RouteCall,
  headers: { readonly [name: string]: string } = {},
  base: string = 'http://server',
): Request {
  return new Request(`${base}${call.path}`, {
    method: call.method,
    headers: { ...(call.body && { 'content-type': 'application/json' }), ...headers },
    ...(call.body && { body: JSON.stringify(call.body) }),
  });
}
