export type { Command, CommandContext } from './command.ts';
export { defineCommand } from './command.ts';
export type { Role, RoleContext, RunningRole } from './role.ts';
export { defineRole } from './role.ts';
export { type Program, runServer } from './run-server.ts';
export { allSettings, settingsPage } from './settings-page.ts';
