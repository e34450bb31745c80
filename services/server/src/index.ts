export type { Command, CommandContext } from './command.ts';
export { defineCommand } from './command.ts';
export { type Program, runServer } from './run-server.ts';
export type { RoleContext, RunningRole, ServerRole } from './server-role.ts';
export { defineRole } from './server-role.ts';
export { allSettings, settingsPage } from './settings-page.ts';
