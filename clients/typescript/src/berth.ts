// The client of one deployment.
import { type BerthOptions, ManagementApi } from './management-api.ts';
import { Sandboxes } from './sandbox/sandboxes.ts';
import { Agents } from './workloads/agents.ts';
import { Jobs } from './workloads/jobs.ts';
import { Logs } from './workloads/logs.ts';

/** The client of one deployment. It opens no connection before the first request, and has nothing to close. */
export class Berth extends ManagementApi {
  /** Machines for programs, with files, ports and a terminal. */
  readonly sandboxes: Sandboxes;
  /** Servers from an image, which run while there are requests for them. */
  readonly agents: Agents;
  /** Images that do one piece of work and end. */
  readonly jobs: Jobs;
  readonly logs: Logs;

  /** Options that are left out come from the environment. */
  constructor(options: BerthOptions = {}) {
    super(options);
    this.sandboxes = new Sandboxes(this);
    this.agents = new Agents(this);
    this.jobs = new Jobs(this);
    this.logs = new Logs(this);
  }
}
