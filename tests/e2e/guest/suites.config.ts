// For the tests of the guest when they run inside a container: no engines there, and nothing of the clone is written.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '/tmp/vite',
  test: {
    include: ['tests/guest/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Hundreds of processes on two cores under gVisor: what fails once for want of time must pass by itself.
    retry: 1,
  },
});
