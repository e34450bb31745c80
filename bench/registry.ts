import { apiWrite } from './api-write.ts';
import type { Bench } from './bench.ts';
import { clients } from './clients.ts';
import { cold } from './cold.ts';
import { deploy } from './deploy.ts';
import { durable } from './durable.ts';
import { flood } from './flood.ts';
import { gateway } from './gateway.ts';
import { gatewayLong } from './gateway-long.ts';
import { guest } from './guest.ts';
import { gvisorRestore } from './gvisor-restore.ts';
import { jobs } from './jobs.ts';
import { jobsFairness } from './jobs-fairness.ts';
import { jobsLarge } from './jobs-large.ts';
import { listing } from './listing.ts';
import { metering } from './metering.ts';
import { metrics } from './metrics.ts';
import { models } from './models.ts';
import { oneTenant } from './one-tenant.ts';
import { sandbox } from './sandbox.ts';
import { sandboxCycle } from './sandbox-cycle.ts';
import { sandboxDensity } from './sandbox-density.ts';
import { sandboxWake } from './sandbox-wake.ts';
import { streams } from './streams.ts';
import { testDatabase } from './test-database.ts';

export const benches: readonly Bench[] = [
  testDatabase,
  listing,
  metrics,
  metering,
  apiWrite,
  durable,
  deploy,
  jobs,
  jobsLarge,
  jobsFairness,
  cold,
  gateway,
  flood,
  models,
  oneTenant,
  streams,
  gatewayLong,
  guest,
  clients,
  sandbox,
  sandboxCycle,
  sandboxWake,
  sandboxDensity,
  gvisorRestore,
];
