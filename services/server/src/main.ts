#!/usr/bin/env node
import { environment } from '@berth/telemetry';
import { commands } from './commands/registry.ts';
import { roles } from './roles/registry.ts';
import { runServer } from './run-server.ts';

// Exits by itself: a role that stopped may have left a timer behind, which must not hold the process.
process.exit(await runServer({ roles, commands }, process.argv.slice(2), environment));
