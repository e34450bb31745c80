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
  for (const secret of ['oldest', 'first', 'second', 'second']) secrets.take({ ingressSecret: secret });
  // Said again, it is no change.
  expect(changes).toBe(3);
  const early = new KnownSecrets(() => nowMs + 5_000);
  early.learn(secrets.standing());
  nowMs = 60_000;
  const late = new KnownSecrets(() => nowMs - 7_000);
  late.learn(secrets.standing());
  const known = () =>
    [early, late].map((each) =>
      ['second', 'first', 'oldest'].filter((secret) => each.rightsOf(secret).size > 0).join(),
    );
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
  expect(known.rightsOf('').size).toBe(0);
});

test('the secret that gateways read from the database opens tunnels and no calls', () => {
  const secrets = new IngressSecrets(() => 0);
  secrets.take({ ingressSecret: 'of an api of the release before' });
  secrets.take({ ingressSecret: 'gateways', callSecret: 'api' });
  const known = new KnownSecrets(() => 0);
  known.learn(secrets.standing());
  expect([...known.rightsOf('gateways')]).toEqual(['tunnels']);
  expect([...known.rightsOf('api')]).toEqual(['calls']);
  expect([...known.rightsOf('of an api of the release before')]).toEqual(['tunnels', 'calls']);
});
