// The client of one deployment.
import { type BerthOptions, ManagementApi } from './management-api.ts';
import { Sandboxes } from './sandbox/sandboxes.ts';
import { Agents } from './workloads/agents.ts';
import { Jobs } from './workloads/jobs.ts';
import { Logs } from './workloads/logs.ts';

export class Berth extends ManagementApi {
  readonly sandboxes: Sandboxes;
  readonly agents: Agents;
  readonly jobs: Jobs;
  readonly logs: Logs;

  constructor(options: BerthOptions = {}) {
    super(options);
    this.sandboxes = new Sandboxes(this);
    this.agents = new Agents(this);
    this.jobs = new Jobs(this);
    this.logs = new Logs(this);
  }
}
