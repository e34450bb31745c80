// For the tests of the guest when they run inside a container: no engines there, and nothing of the clone is written.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '/tmp/vite',
  test: {
    include: ['tests/guest/*.test.ts'],
    isolate: false,
    maxWorkers: 2,
    // As in the clone's own configuration: these limits only end a test that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
