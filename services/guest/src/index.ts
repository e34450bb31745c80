// Exports for tests. The guest itself is a program: main.ts, bundled and started by the native helper.
export { Activity } from './activity.ts';
export type { Guest } from './guest.ts';
export { createGuestServer } from './http/server.ts';
export { LiveEnvironment } from './live-environment.ts';
export { GuestLog } from './log.ts';
export { readSettings } from './settings.ts';
