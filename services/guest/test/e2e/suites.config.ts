// Configuration for the guest's tests inside a container: it has no engines, and the clone is mounted read-only.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '/tmp/vite',
  test: {
    include: ['services/guest/test/*.test.ts'],
    isolate: false,
    maxWorkers: 2,
    // The same as in the clone's vitest configuration: these limits only end a test that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
