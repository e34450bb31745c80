#!/usr/bin/env node
import { environment } from '@berth/telemetry';
import { commands } from './commands/registry.ts';
import { roles } from './roles/registry.ts';
import { runServer } from './run-server.ts';

// Exits explicitly: a timer left behind by a stopped role must not keep the process alive.
process.exit(await runServer({ roles, commands }, process.argv.slice(2), environment));
