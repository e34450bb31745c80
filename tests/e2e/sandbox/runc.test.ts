import { wireChecks } from './wire-checks.ts';

wireChecks('runc');
