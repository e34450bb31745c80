#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { releaseFolder } from '@berth/release';
import { environment } from '@berth/telemetry';
import { commands } from './commands/registry.ts';
import { placesBelow } from './operate/machine/places.ts';
import { roles } from './roles/registry.ts';
import { runServer } from './run-server.ts';

/** On a machine where `up` has run, commands find its settings without --config. */
const { settings } = placesBelow('/');
const commandSettings = releaseFolder !== undefined && existsSync(settings) ? settings : undefined;

// Exits explicitly: a timer left behind by a stopped role must not keep the process alive.
process.exit(await runServer({ roles, commands, commandSettings }, process.argv.slice(2), environment));
