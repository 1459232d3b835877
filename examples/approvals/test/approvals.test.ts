import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

it('asks in one process, is answered in another and goes on in a third', async ({
  expect,
  onTestFinished,
}) => {
  const demo = spawn(process.execPath, ['--conditions=@helix-agents/source', main], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void demo.kill());
  let output = '';
  demo.stdout.on('data', (data) => (output += String(data)));
  demo.stderr.on('data', (data) => (output += String(data)));
  const code = await new Promise<number | null>((resolve) => demo.on('close', resolve));

  expect(output).toContain('the run ended: suspended_client_tool');
  expect(output).toContain('travel-desk asks the client for pick_seat');
  expect(output).toContain('hotel-desk asks to approve book_hotel');
  expect(output).toContain('the traveller picks 14C: accepted');
  expect(output).toContain('the browser sends it again: already_completed');
  expect(output).toContain('the reviewer types 0 nights: refused, INVALID_RESULT');
  expect(output).toContain('still open: book_hotel');
  expect(output).toContain('the reviewer approves 3 nights instead of 5: accepted');
  expect(output).toContain('the run ended: completed');
  expect(output).toContain('proposed {"hotel":"Hotel Miradouro","nights":5,"pricePerNight":240}');
  expect(output).toContain('ran with {"hotel":"Hotel Miradouro","nights":3,"pricePerNight":240}');
  expect(output).toContain('You fly in seat 14C and stay at Hotel Miradouro, 3 nights.');
  expect(output).toContain('✓ booked 1 time');
  expect(code).toBe(0);
}, 60_000);
