export { acceptSettings } from './accept-settings.ts';
export type { Command, CommandContext } from './commands/command.ts';
export { defineCommand } from './commands/command.ts';
export type { RoleContext, RunningRole, ServerRole } from './roles/server-role.ts';
export { defineRole } from './roles/server-role.ts';
export { type Program, runServer } from './run-server.ts';
export { allSettings, settingsPage } from './settings-page.ts';
