// All clients against one deployment: to start one takes longer than most of the tests.
import { afterAll, beforeAll, describe } from 'vitest';
import { python } from '../../../engines/python.ts';
import { type SandboxFleet, startSandboxFleet } from '../sandbox/sandbox-fleet.ts';
import { commandLineTests } from './cli-tests.ts';
import { guideTests } from './guide-tests.ts';
import { integrationTests } from './integration-tests.ts';
import { pythonTests } from './python-tests.ts';
import { typescriptTests } from './typescript-tests.ts';

let sandboxes: SandboxFleet;
const fleetOf = (): SandboxFleet => sandboxes;

beforeAll(async () => {
  await python.install();
  // A page calls the api and the gateway from an origin of its own.
  sandboxes = await startSandboxFleet('runc', {
    BERTH_API_BROWSER_ORIGINS: '["*"]',
    BERTH_GATEWAY_BROWSER_ORIGINS: '["*"]',
  });
});
afterAll(() => sandboxes?.[Symbol.asyncDispose]());

describe('TypeScript', () => typescriptTests(fleetOf));
describe('Python', () => pythonTests(fleetOf));
describe('command line', () => commandLineTests(fleetOf));
describe('integrations', () => integrationTests(fleetOf));
describe('guides', () => guideTests(fleetOf));
