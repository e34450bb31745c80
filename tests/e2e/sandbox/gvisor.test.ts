import { wireChecks } from './wire-checks.ts';

wireChecks('gvisor');
