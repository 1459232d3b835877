// How long a person looks at their own message before the answer begins, in the built page.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import type { Api } from '../../src/api.ts';
import { buildPage } from '../../src/build-page.ts';
import { createHttpServer } from '../../src/http-server.ts';
import { findChromium } from './chromium.ts';

export interface SubmitPage {
  readonly url: string;
  /** Milliseconds from the key that sends to the first words of the answer in the document, in a new conversation. */
  readonly submit: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The page on this API, which answers the chat's routes and `overview`. */
export async function openSubmitPage(api: Api): Promise<SubmitPage> {
  const server = createHttpServer(api, await buildPage());
  const url = await listen(server);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  return {
    url,
    submit: () => submit(page, url),
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function submit(page: Page, url: string): Promise<number> {
  // A document of its own: nothing of the conversation before is left.
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('heading', { name: 'Where to?' }).waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.evaluate(`void (globalThis.firstWords = ${FIRST_WORDS})`);
  await page.keyboard.press('Enter');
  return page.evaluate<number>('globalThis.firstWords');
}

/** In the page: from the key to the first text of an answer. */
const FIRST_WORDS = `new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('no answer within five minutes')), 300_000);
  let begun = 0;
  addEventListener('keydown', (event) => { begun = event.timeStamp; }, { capture: true, once: true });
  new MutationObserver((_, observer) => {
    if (!begun || !document.querySelector('.message.assistant .text')) return;
    observer.disconnect();
    resolve(performance.now() - begun);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
})`;

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
  });
}
