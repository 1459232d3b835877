import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { createWebResponseExpressMiddleware } from '@helix-agents/ai-sdk/adapters/express';
import type { Api } from './api.ts';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page's files and the API, for this machine only. */
export function createHttpServer(api: Api, pageFolder: string): Server {
  const serveApi = createWebResponseExpressMiddleware((request) => api.handle(request));
  return createServer((request, response) => {
    if (!isLocal(request))
      return void response.writeHead(403).end('This demo answers local requests only.');
    const failed = (error: unknown): void => {
      console.error('request failed:', error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    };
    if (request.url?.startsWith('/api/')) serveApi(request as never, response, failed);
    else servePage(request, response, pageFolder).catch(failed);
  });
}

/** A page of another site may not speak to this server, also not under a name that leads here. */
function isLocal({ headers }: IncomingMessage): boolean {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const { host = '', origin } = headers;
  return local.test(host) && (origin === undefined || origin === `http://${host}`);
}

async function servePage(
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
  folder: string,
): Promise<void> {
  const path = normalize(decodeURIComponent(new URL(url, 'http://page').pathname));
  const file = extname(path) === '' ? 'index.html' : path;
  try {
    const content = await readFile(join(folder, file));
    const cached = file.includes('assets') ? 'public, max-age=31536000, immutable' : 'no-cache';
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'text/plain',
      'cache-control': cached,
    });
    response.end(content);
  } catch {
    response.writeHead(404).end('Not found');
  }
}
