// A real server that is kept alive, a real Chromium, and a page that fails the test when it logs an error.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core';
import { expect } from 'vitest';
import { buildPage } from '../../src/build-page.ts';
import { superviseServer, type RunningServer } from '../../src/supervisor.ts';
import { findChromium } from './chromium.ts';

/** A machine may be busy with other things. */
const PATIENCE = 300_000;
const images = join(import.meta.dirname, '../../../../docs/images/chat');

export interface World {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
  readonly close: () => Promise<void>;
}

export interface VisitOptions {
  readonly sessionId?: string;
  readonly context?: BrowserContext;
  readonly phone?: boolean;
  readonly dark?: boolean;
  /** Another way to the server. */
  readonly url?: string;
}

/** `page`: where one is built already. */
export async function openWorld(built?: string): Promise<World> {
  process.env['HELIX_CHAT_TOOL_MS'] = '400';
  const folder = mkdtempSync(join(tmpdir(), 'helix-chat-test-'));
  // React speaks up about mistakes only when it is not built for production.
  const page = built ?? (await buildPage('development'));
  const server = await superviseServer(join(folder, 'chat.db'), page);
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return {
    server,
    browser,
    async visit(options = {}) {
      const context = options.context ?? (await newContext(browser, options));
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      const visit = new Visit(page, context);
      const sessionId = options.sessionId ?? crypto.randomUUID();
      await page.goto(`${options.url ?? server.url}#${sessionId}`);
      await page.getByRole('main').waitFor();
      return visit;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

function newContext(browser: Browser, { phone, dark }: VisitOptions): Promise<BrowserContext> {
  return browser.newContext({
    viewport: phone ? { width: 390, height: 780 } : { width: 1180, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
}

/** One tab. */
export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly errors: string[] = [];
  readonly posts: string[] = [];
  /** What the page said that it understands beyond `ai` 6, with any message: null for nothing. */
  readonly #capabilities = new Set<string | null>();

  constructor(page: Page, context: BrowserContext) {
    this.page = page;
    this.context = context;
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(message.text());
    });
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/chat')) {
        this.posts.push(request.postData() ?? '');
        this.#capabilities.add(request.headers()['x-helix-chat-capabilities'] ?? null);
      }
    });
  }

  get capabilities(): readonly (string | null)[] {
    return [...this.#capabilities];
  }

  get sessionId(): string {
    return new URL(this.page.url()).hash.slice(1);
  }

  async say(text: string): Promise<void> {
    await this.page.getByLabel('Message', { exact: true }).fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** The server has what this sends. */
  async posted(act: () => Promise<unknown>): Promise<void> {
    const isPost = (response: Response): boolean => response.request().method() === 'POST';
    await Promise.all([this.page.waitForResponse(isPost), act()]);
  }

  text(text: string | RegExp): Locator {
    return this.page.getByRole('log').getByText(text).last();
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.text(text).waitFor();
  }

  card(name: string): Locator {
    return this.page.getByRole('log').getByRole('region', { name, exact: true });
  }

  async deny(name: string, reason = ''): Promise<void> {
    const card = this.card(name);
    await card.getByRole('button', { name: 'Deny' }).click();
    await card.getByLabel('Reason (optional)').fill(reason);
    await card.getByRole('button', { name: 'Deny' }).click();
  }

  /** Everything to press is at least 44 pixels high and wide. */
  async hasRoomForFingers(): Promise<void> {
    const small = await this.page.evaluate(SMALL_TARGETS);
    expect(small).toEqual([]);
  }

  /** Nothing lies over its middle. */
  async isUncovered(target: Locator): Promise<void> {
    expect(await target.evaluate(IS_ON_TOP)).toBe(true);
  }

  /** The keyboard is on what has this name. */
  async isFocused(name: string): Promise<void> {
    await this.page.locator(':focus').and(this.#named(name)).waitFor();
  }

  #named(name: string): Locator {
    const button = this.page.getByRole('button', { name, exact: true });
    return this.page.getByLabel(name, { exact: true }).or(button);
  }

  /** The agent is done or waits: the page may be sent a message. */
  async rests(): Promise<void> {
    await this.page.getByRole('button', { name: 'Send' }).waitFor();
  }

  /** All that the conversation shows, without what is only decoration. */
  async transcript(): Promise<string> {
    return (await this.page.getByRole('log').innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  async isAccessible(): Promise<void> {
    await this.page.evaluate(axe.source);
    const violations = await this.page.evaluate(async () => {
      const page = globalThis as unknown as { axe: { run: () => Promise<AxeResult> } };
      const result = await page.axe.run();
      return result.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
      );
    });
    expect(violations).toEqual([]);
  }

  /** Kept under docs when asked for: whoever changes the page looks at them. */
  async photograph(name: string): Promise<void> {
    if (process.env['SCREENSHOTS'])
      await this.page.screenshot({ path: join(images, `${name}.png`) });
  }

  /** Nothing was logged as an error; `but`: what the browser says by itself when a server is away. */
  isClean(but?: RegExp): void {
    expect(this.errors.filter((error) => !but?.test(error))).toEqual([]);
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}

// Run in the page, which has a document; these files are checked without one.
const SMALL_TARGETS = `[...document.querySelectorAll('button, summary, select, textarea, label.check, label.attach, input:not([type=checkbox], [type=file])')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }))
  .map((element) => [element.innerText || element.id, element.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([name, { width, height }]) => name + ': ' + width + ' x ' + height)`;

const IS_ON_TOP = (element: unknown): boolean => {
  const target = element as {
    getBoundingClientRect(): { x: number; y: number; width: number; height: number };
    contains(other: unknown): boolean;
  };
  const { x, y, width, height } = target.getBoundingClientRect();
  const { document } = globalThis as unknown as {
    document: { elementFromPoint(x: number, y: number): unknown };
  };
  return target.contains(document.elementFromPoint(x + width / 2, y + height / 2));
};

interface AxeResult {
  readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
}

export const NETWORK_ERRORS: RegExp = /Failed to load resource|ERR_|net::/;
