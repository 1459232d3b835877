// `node prepare.ts`: what takes minutes to get is got before the tests run, which then wait for nothing. A failure is reported, and
// again by the tests that need it.
import { isSwitchedOff } from './errors.ts';
import { findTemporalBinary } from './temporal-binary.ts';

const isGiven = (process.env['TEMPORAL_ADDRESS'] ?? '') !== '';
if (!isGiven && !isSwitchedOff('temporal')) {
  try {
    await findTemporalBinary();
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  }
}
