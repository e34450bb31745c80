import { expect, test } from 'vitest';
import { pullFailed } from './pull-fault.ts';

const image = 'registry.example/app:1';

// Messages of Docker Engine 20.10.
test.each([
  ['missing', 'manifest for registry.example/app:1 not found: manifest unknown: manifest unknown'],
  ['missing', 'no matching manifest for linux/arm64/v8 in the manifest list entries'],
  ['missing', 'name unknown: repository name not known to registry'],
  ['missing', 'invalid reference format: repository name must be lowercase'],
  ['refused', 'Head "http://registry.example/v2/app/manifests/1": no basic auth credentials'],
  ['refused', 'unauthorized: authentication required'],
  ['refused', 'denied: requested access to the resource is denied'],
  [
    'refused',
    "pull access denied for app, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  ],
  ['unavailable', 'Get "https://registry.example/v2/": dial tcp: lookup registry.example: no such host'],
  ['unavailable', 'Get "https://registry.example/v2/": dial tcp 192.0.2.1:443: connect: connection refused'],
  ['unavailable', 'net/http: request canceled while waiting for connection (Client.Timeout exceeded)'],
  ['unavailable', 'connect ENOENT docker.sock'],
  ['unavailable', 'toomanyrequests: rate limit exceeded'],
])('%s: %s', (fault, words) => {
  const failed = pullFailed(image, words);
  expect(failed.fault).toBe(fault);
  expect(failed.message).toContain(image);
  expect(failed.message).toMatch(/\b(Check|reads like)\b/);
  // The message reveals nothing about the machine's network.
  expect(failed.message).not.toMatch(
    /dial tcp|192\.0\.2\.1|connection refused|no such host|docker\.sock|Client\.Timeout/,
  );
});

test('the message for an image that is missing or private names both', () => {
  const { message } = pullFailed(image, "repository does not exist or may require 'docker login'");
  expect(message).toMatch(/does not exist there, or it is private/);
});
