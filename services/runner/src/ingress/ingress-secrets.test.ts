import { expect, test } from 'vitest';
import { IngressSecrets } from './ingress-secrets.ts';
import { KnownSecrets } from './known-secrets.ts';

test('the secret before is good for two minutes, on whatever clock its reader has', () => {
  let nowMs = 0;
  let changes = 0;
  const secrets = new IngressSecrets(
    () => nowMs,
    () => {
      changes += 1;
    },
  );
  for (const secret of ['oldest', 'first', 'second', 'second']) secrets.take(secret);
  // Said again, it is no change.
  expect(changes).toBe(3);
  const early = new KnownSecrets(() => nowMs + 5_000);
  early.learn(secrets.standing());
  nowMs = 60_000;
  const late = new KnownSecrets(() => nowMs - 7_000);
  late.learn(secrets.standing());
  const known = () =>
    [early, late].map((each) => ['second', 'first', 'oldest'].filter((secret) => each.isKnown(secret)).join());
  expect(known()).toEqual(['second,first', 'second,first']);
  nowMs = 119_999;
  expect(known()).toEqual(['second,first', 'second,first']);
  nowMs = 120_000;
  expect(known()).toEqual(['second', 'second']);
  expect(secrets.standing()).toHaveLength(1);
});

test('nobody is known before there is a secret', () => {
  const known = new KnownSecrets(() => 0);
  known.learn(new IngressSecrets(() => 0).standing());
  expect(known.isKnown('')).toBe(false);
});
