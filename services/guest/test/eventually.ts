import { setTimeout as sleep } from 'node:timers/promises';

/** Ends only a test that hangs; below the time limit of a test, so that the message is seen. */
const maxSeconds = 45;

/** Polls until the condition holds. Asserts nothing about how long that takes. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + maxSeconds * 1_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`The condition does not hold after ${maxSeconds} s.`);
    await sleep(20);
  }
}
