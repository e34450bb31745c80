import { apiWrite } from './api-write.ts';
import type { Bench } from './bench.ts';
import { deploy } from './deploy.ts';
import { durable } from './durable.ts';
import { gateway } from './gateway.ts';
import { listing } from './listing.ts';
import { testDatabase } from './test-database.ts';

export const benches: readonly Bench[] = [testDatabase, listing, apiWrite, durable, deploy, gateway];
