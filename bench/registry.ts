import type { Bench } from './bench.ts';
import { testDatabase } from './test-database.ts';

export const benches: readonly Bench[] = [testDatabase];
