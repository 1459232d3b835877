import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../src/build-page.ts';
import { openWorld, type World } from './support/browser.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
}, 400_000);

afterAll(async () => {
  await world?.close();
});

describe('the page around the chat', () => {
  it('folds what the model thought, highlights code, and takes attachments', async () => {
    const visit = await world.visit();
    await visit.say('Plan a weekend in Lisbon');
    const thought = visit.page.getByText('Thought process');
    await thought.waitFor();
    const plan = visit.page.getByText('They want a weekend away.');
    expect(await plan.isVisible()).toBe(false);
    await thought.click();
    expect(await plan.isVisible()).toBe(true);
    await visit.card('Reserve room?').waitFor();
    await visit.rests();
    await visit.say('Show me the code');
    await visit.sees('and the rest is handled.');
    await visit.rests();
    const code = visit.page.getByRole('figure');
    expect(await code.locator('[data-token=keyword]').allInnerTexts()).toContain('const');
    expect(await code.locator('[data-token=comment]').innerText()).toContain('// Asks a person');
    expect(await code.locator('[data-token=number]').innerText()).toBe('500');
    const attach = visit.page.getByLabel('Attach files');
    await attach.setInputFiles({
      name: 'ticket.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Seat 12A'),
    });
    await visit.page.getByRole('button', { name: 'Remove ticket.txt' }).waitFor();
    await visit.isAccessible();
    await visit.photograph('16-code-and-attachment');
    await visit.page.getByRole('button', { name: 'Send' }).click();
    await visit.sees('Thanks, I have ticket.txt');
    await visit.rests();
    await visit.page.reload();
    await visit.sees('Thanks, I have ticket.txt');
    expect(await visit.page.locator('.message.user .file').innerText()).toBe('ticket.txt');
    visit.isClean();
    await visit.leave();
  });

  it('renames, finds, tells apart and deletes conversations', async () => {
    const visit = await world.visit();
    const list = visit.page.getByRole('navigation', { name: 'Conversations' });
    for (const round of [1, 2]) {
      await visit.say('Hello twins');
      await visit.sees('Hello! I am a travel assistant');
      await visit.rests();
      if (round === 1) await visit.page.getByRole('button', { name: 'New chat' }).click();
    }
    await list.getByRole('button', { name: /^Hello twins \(2\) / }).waitFor();
    await list.getByRole('button', { name: 'Rename Hello twins (2)' }).click();
    await list.getByLabel('New name').fill('Summer plans');
    await visit.page.keyboard.press('Enter');
    await list.getByRole('button', { name: /^Summer plans / }).waitFor();
    await list.getByLabel('Search conversations').fill('summer');
    expect(await list.getByRole('listitem').count()).toBe(1);
    await visit.photograph('17-search');
    await visit.isAccessible();
    await list.getByRole('button', { name: 'Delete Summer plans' }).click();
    await list.getByRole('button', { name: 'Delete', exact: true }).click();
    await list.getByText('Nothing matches “summer”.').waitFor();
    await visit.page.getByRole('heading', { name: 'Where to?' }).waitFor();
    await list.getByLabel('Search conversations').fill('');
    await list.getByRole('button', { name: /^Hello twins / }).click();
    await visit.sees('Hello! I am a travel assistant');
    visit.isClean();
    await visit.leave();
  });
});

describe('the chat in a browser with ai 6', () => {
  it('restores itself, asks with fields of the schema, and shows what was decided', async () => {
    const page = await buildPage('development', {
      name: 'ai-6',
      alias: { '@ai-sdk/react': import.meta.resolve('ai-sdk-react-6') },
    });
    const older = await openWorld(page);
    try {
      const visit = await older.visit();
      await visit.say('Book a flight to Rome');
      const card = visit.card('Book flight?');
      await card.waitFor();
      await visit.rests();
      await visit.page.reload();
      await card.getByRole('button', { name: 'Edit' }).click();
      await card.getByLabel('Refundable').check();
      await card.getByRole('button', { name: 'Approve changes' }).click();
      await visit.sees('Your flight is booked.');
      await visit.rests();
      expect(await visit.card('Book flight').innerText()).toContain('Refundable');
      await visit.say('Book a flight to Oslo');
      await visit.deny('Book flight?', 'Too cold');
      await visit.sees('I won’t book it');
      await visit.rests();
      const seen = await visit.transcript();
      await visit.page.reload();
      await visit.sees('I won’t book it');
      expect(seen).toContain('Too cold');
      await expect.poll(() => visit.transcript(), { timeout: 60_000 }).toBe(seen);
      expect(visit.capabilities).toEqual([null]);
      visit.isClean();
    } finally {
      await older.close();
    }
  });
});
