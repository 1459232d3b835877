import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NETWORK_ERRORS, openWorld, type World } from './support/browser.ts';
import { openNetwork } from './support/network.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld();
}, 400_000);

afterAll(async () => {
  await world?.close();
});

describe('the chat in a browser', () => {
  it('goes through a whole conversation: tool with progress, sub-agent that asks, approval, answer', async () => {
    const visit = await world.visit();
    await visit.photograph('1-welcome');
    await visit.isAccessible();
    await visit.page.getByRole('button', { name: 'Plan a weekend in Lisbon' }).click();
    await visit.page.getByRole('progressbar').first().waitFor();
    await visit.photograph('2-progress');
    const nested = visit.card('Reserve room?');
    await nested.waitFor();
    await visit.rests();
    await visit.photograph('3-sub-agent-asks');
    await visit.isAccessible();
    expect(
      await visit.page.getByRole('region', { name: 'Sub-agent Hotel scout' }).innerText(),
    ).toContain('Reserve room?');
    await nested.getByRole('button', { name: 'Approve' }).click();
    const booking = visit.card('Book flight?');
    await booking.waitFor();
    await visit.rests();
    await visit.photograph('4-approval');
    await booking.getByRole('button', { name: 'Approve' }).click();
    await visit.sees('All set for');
    await visit.rests();
    await visit.photograph('5-done');
    await visit.isAccessible();
    expect(await visit.card('Book flight').innerText()).toContain('approved and done');
    expect(await visit.page.locator('.message').count()).toBe(2);
    expect(visit.posts).toHaveLength(3);
    visit.isClean();
    await visit.leave();
  });

  it('acts in the page when the agent asks it to', async () => {
    const visit = await world.visit();
    await visit.say('Make it dark and teal');
    await visit.sees('Done. How do you like it?');
    const html = visit.page.locator('html');
    expect([await html.getAttribute('data-mode'), await html.getAttribute('data-accent')]).toEqual([
      'dark',
      'teal',
    ]);
    expect(visit.posts).toHaveLength(2);
    await visit.isAccessible();
    await visit.photograph('6-client-tool-dark');
    visit.isClean();
    await visit.leave();
  });

  it('runs with what a person edited', async () => {
    const visit = await world.visit();
    await visit.say('Book a flight to Rome');
    const card = visit.card('Book flight?');
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('Passenger').fill('Kim Lee');
    await card.getByLabel('Date').fill('2027-06-01');
    await card.getByLabel('Seat').check();
    await card.getByLabel('Refundable').check();
    await card.getByRole('button', { name: 'Add to companions' }).click();
    await card.getByLabel('Companions 1', { exact: true }).fill('Sam Poe');
    await card.getByLabel('Email').fill('kim@example.com');
    await visit.isAccessible();
    await visit.photograph('7-edit');
    await card.getByRole('button', { name: 'Approve changes' }).click();
    await visit.sees('Your flight is booked.');
    const last = JSON.parse(visit.posts.at(-1) ?? '{}') as { toolInputs?: object };
    expect(Object.values(last.toolInputs ?? {})).toEqual([
      {
        flight: 'U2 7641',
        city: 'Rome',
        passenger: 'Kim Lee',
        date: '2027-06-01',
        price: 116,
        extras: ['bag', 'seat'],
        companions: ['Sam Poe'],
        refundable: true,
        contact: { email: 'kim@example.com' },
      },
    ]);
    const shown = await visit.card('Book flight').innerText();
    expect(shown).toContain('Kim Lee · Jun 1, 2027');
    expect(shown).toContain('bag, seat · Refundable');
    visit.isClean();
    await visit.leave();
  });

  it('takes no for an answer', async () => {
    const visit = await world.visit();
    await visit.say('Book a flight to Rome');
    await visit.deny('Book flight?', 'Too early in the morning');
    await visit.sees('I won’t book it');
    expect(await visit.card('Book flight').innerText()).toContain('Too early in the morning');
    expect(visit.posts).toHaveLength(2);
    await visit.photograph('8-denied');
    visit.isClean();
    await visit.leave();
  });

  it('answers again, from before the message', async () => {
    const visit = await world.visit();
    await visit.say('Book a flight to Rome');
    await visit.deny('Book flight?');
    await visit.sees('I won’t book it');
    await visit.page.getByRole('button', { name: 'Try again' }).click();
    const card = visit.card('Book flight?');
    await card.waitFor();
    await visit.rests();
    expect(await visit.page.locator('.message').count()).toBe(2);
    await card.getByRole('button', { name: 'Approve' }).click();
    await visit.sees('Your flight is booked.');
    await visit.rests();
    const seen = await visit.transcript();
    await visit.page.reload();
    await visit.sees('Your flight is booked.');
    expect(await visit.transcript()).toBe(seen);
    visit.isClean();
    await visit.leave();
  });

  it('leads the keyboard on when what it was on is gone', async () => {
    const visit = await world.visit({ phone: true });
    await visit.page.getByRole('button', { name: 'Dark colours' }).click();
    await visit.page.getByRole('button', { name: 'Light colours' }).waitFor();
    await visit.say('Book a flight to Rome');
    const card = visit.card('Book flight?');
    await card.getByRole('button', { name: 'Edit' }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.isFocused('Flight');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await visit.isFocused('Edit');
    await card.getByRole('button', { name: 'Deny' }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.isFocused('Reason (optional)');
    await visit.page.keyboard.press('Enter');
    await visit.isFocused('Message');
    const menu = visit.page.getByRole('button', { name: 'Conversations and inbox' });
    await menu.focus();
    await visit.page.keyboard.press('Enter');
    await visit.isFocused('New chat');
    await visit.page.keyboard.press('Escape');
    await visit.isFocused('Conversations and inbox');
    visit.isClean();
    await visit.leave();
  });

  it('is the same after a refresh: while it speaks, while it waits, after the answer', async () => {
    const visit = await world.visit();
    await visit.say('Book a flight to Vienna');
    await visit.sees('Let me see what');
    await visit.page.reload();
    const card = visit.card('Book flight?');
    await card.waitFor();
    await visit.rests();
    const waiting = await visit.transcript();
    await visit.page.reload();
    await card.waitFor();
    expect(await visit.transcript()).toBe(waiting);
    await visit.posted(() => card.getByRole('button', { name: 'Approve' }).click());
    await visit.page.reload();
    await visit.sees('Your flight is booked.');
    await visit.rests();
    const done = await visit.transcript();
    await visit.page.reload();
    await visit.sees('Your flight is booked.');
    expect(await visit.transcript()).toBe(done);
    expect(done.match(/Let me see what/g)).toHaveLength(1);
    expect(visit.posts).toHaveLength(2);
    visit.isClean();
    await visit.leave();
  });

  it('shows in one tab what another one did, and asks in neither again', async () => {
    const first = await world.visit();
    await first.say('Book a flight to Oslo');
    await first.card('Book flight?').waitFor();
    await first.rests();
    const second = await world.visit({ context: first.context, sessionId: first.sessionId });
    await second.card('Book flight?').getByRole('button', { name: 'Approve' }).click();
    await second.sees('Your flight is booked.');
    await first.sees('Your flight is booked.');
    await first.rests();
    expect(await first.transcript()).toBe(await second.transcript());
    await second.say('Make it orange');
    await second.sees('Done. How do you like it?');
    await first.sees('Done. How do you like it?');
    // Two messages, one approval, and one tab ran the tool: whichever was first.
    expect(first.posts.length + second.posts.length).toBe(4);
    first.isClean();
    second.isClean();
    await first.leave();
  });

  it('lists everything that waits, and is answered from there', async () => {
    const visit = await world.visit();
    await visit.say('Find a hotel in Athens');
    await visit.card('Reserve room?').waitFor();
    await visit.rests();
    await visit.page.getByRole('button', { name: 'New chat' }).click();
    await visit.page.getByRole('heading', { name: 'Where to?' }).waitFor();
    const inbox = visit.page.getByRole('region', { name: 'Inbox' });
    const item = inbox.getByRole('listitem').filter({ hasText: 'Casa Athens' });
    await visit.photograph('9-inbox');
    await item.getByRole('button', { name: 'Approve' }).click();
    await item.waitFor({ state: 'detached' });
    await visit.page.getByRole('button', { name: /^Find a hotel in Athens/ }).click();
    await visit.sees('The room is yours.');
    visit.isClean();
    await visit.leave();
  });

  it('goes on with a message that is typed while an approval waits', async () => {
    const visit = await world.visit();
    await visit.say('Book a flight to Paris');
    await visit.card('Book flight?').waitFor();
    await visit.rests();
    await visit.say('Hello instead');
    await visit.sees('Hello! I am a travel assistant');
    await visit.rests();
    expect(await visit.card('Book flight').innerText()).not.toContain('needs your approval');
    const buttons = visit.page.getByRole('log').getByRole('button', { name: 'Approve' });
    expect(await buttons.count()).toBe(0);
    visit.isClean();
    await visit.leave();
  });

  it('stops in mid-sentence, keeps what was said, and answers the next message', async () => {
    const visit = await world.visit();
    await visit.say('Tell me a very long story');
    await visit.sees('Once there was an agent');
    await visit.page.getByRole('button', { name: 'Stop' }).click();
    await visit.sees('Stopped');
    await visit.rests();
    await visit.isAccessible();
    await visit.photograph('14-stopped');
    const stopped = await visit.transcript();
    expect(stopped).toContain('Once there was an agent');
    expect(stopped).not.toContain('The end.');
    await visit.page.reload();
    await visit.sees('Stopped');
    expect(await visit.transcript()).toBe(stopped);
    await visit.say('Hello');
    await visit.sees('Hello! I am a travel assistant');
    await visit.rests();
    const goesOn = await visit.transcript();
    expect(goesOn.startsWith(stopped)).toBe(true);
    await visit.page.reload();
    await visit.sees('Hello! I am a travel assistant');
    expect(await visit.transcript()).toBe(goesOn);
    visit.isClean();
    await visit.leave();
  });

  it('finds a lost network again and misses nothing', async () => {
    const network = await openNetwork(world.server.url);
    onTestFinished(network.close);
    const visit = await world.visit({ url: network.url });
    await visit.say('Tell me a very long story');
    await visit.sees('Once there was an agent');
    await visit.context.setOffline(true);
    network.cut();
    await visit.page.getByText('Reconnecting…').waitFor();
    await visit.photograph('13-network-lost');
    await visit.context.setOffline(false);
    await visit.sees('The end.');
    await visit.rests();
    const seen = await visit.transcript();
    await visit.page.reload();
    await visit.sees('The end.');
    expect(await visit.transcript()).toBe(seen);
    expect(visit.posts).toHaveLength(1);
    visit.isClean(NETWORK_ERRORS);
    await visit.leave();
  });

  it('fits on a phone, light and dark, and is used with the keyboard alone', async () => {
    const visit = await world.visit({ phone: true, dark: true });
    await visit.isAccessible();
    await visit.page.keyboard.type('Book a flight to Porto');
    await visit.page.keyboard.press('Enter');
    const card = visit.card('Book flight?');
    await card.waitFor();
    await visit.rests();
    await visit.photograph('11-phone-dark');
    await visit.isAccessible();
    await visit.hasRoomForFingers();
    await card.getByRole('button', { name: 'Edit' }).click();
    const approve = card.getByRole('button', { name: 'Approve' });
    await approve.scrollIntoViewIfNeeded();
    await visit.isUncovered(approve);
    await visit.photograph('15-phone-edit');
    await visit.isAccessible();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.getByRole('button', { name: 'Deny' }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.isFocused('Reason (optional)');
    await visit.page.keyboard.press('Enter');
    await visit.sees('I won’t book it');
    await visit.page.getByRole('button', { name: 'Conversations and inbox' }).click();
    await visit.page.getByRole('navigation', { name: 'Conversations' }).waitFor();
    await visit.photograph('12-phone-menu');
    await visit.hasRoomForFingers();
    await visit.isAccessible();
    const width = await visit.page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    visit.isClean();
    await visit.leave();
  });
});

describe('the chat without its server', () => {
  it('survives the death of its server, in the middle of a sentence and while it waits', async () => {
    const visit = await world.visit();
    const before = world.server.pid();
    await visit.say('Plan a weekend in Lisbon');
    await visit.page.getByRole('progressbar').first().waitFor();
    await visit.page.getByRole('button', { name: 'Kill' }).click();
    await visit.page.getByText(/restarting|now process/).waitFor();
    await visit.photograph('10-killed');
    const card = visit.card('Reserve room?');
    await card.waitFor();
    await visit.rests();
    expect(world.server.pid()).not.toBe(before);
    await visit.page.getByText(`now process ${world.server.pid()}`).waitFor();
    await visit.page.getByRole('button', { name: 'Kill' }).click();
    await visit.page.getByText(/restarting|now process/).waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    const booking = visit.card('Book flight?');
    await booking.waitFor();
    await visit.rests();
    await booking.getByRole('button', { name: 'Approve' }).click();
    await visit.sees('All set for');
    await visit.rests();
    const seen = await visit.transcript();
    await visit.page.reload();
    await visit.sees('All set for');
    expect(await visit.transcript()).toBe(seen);
    expect(await visit.page.locator('.message').count()).toBe(2);
    visit.isClean(NETWORK_ERRORS);
    await visit.leave();
  });
});
