import type { JsonObject } from '@berth/database';
import { type PathTrigger, pathTriggersOf } from '@berth/triggers';
import { type JobTrigger, jobTrigger } from './job-triggers.ts';

export interface HttpTrigger extends JobTrigger, Pick<PathTrigger, 'path' | 'isEnabled' | 'isPublic'> {}

export const httpTriggersOf = (jobSpec: JsonObject): HttpTrigger[] =>
  pathTriggersOf('job', jobSpec).map(({ stored, path, isEnabled, isPublic }) => ({
    ...jobTrigger(stored, 'http'),
    ...{ path, isEnabled, isPublic },
  }));
