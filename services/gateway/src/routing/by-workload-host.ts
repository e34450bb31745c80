// Address form `<label>.<region>.<domain>` of agents, functions, models and sandboxes. Table `host_labels` maps a label to
// its resource.
import { servedKinds } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { Resolver } from './resolver.ts';

const modelPrefix = 'mdl-';
const prefixes = [...servedKinds.map((kind) => workloadKinds[kind].labelPrefix), modelPrefix];
const label = new RegExp(`^(?:${prefixes.join('|')})[a-z0-9-]{1,59}$`);
const regionName = /^[a-z0-9-]{1,63}$/;

export const byWorkloadHost: Resolver = {
  name: 'workload host',
  resolve({ host, rawTarget }, { workloadDomain }) {
    const end = `.${workloadDomain.toLowerCase()}`;
    if (!host.endsWith(end)) return undefined;
    const [first = '', region = '', ...more] = host.slice(0, -end.length).split('.');
    if (more.length > 0 || !label.test(first) || !regionName.test(region)) return undefined;
    if (first.startsWith(modelPrefix)) return { by: 'model', address: { region, label: first }, path: rawTarget };
    return { by: 'host', region, label: first, path: rawTarget };
  },
};
