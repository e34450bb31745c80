// Looks at a running deployment, at any time.
import { describe, lookAt } from '../checks/look.ts';
import type { Installation } from '../install/installation.ts';
import { requireRecord } from '../install/require-record.ts';
import { Fault } from '../machine/fault.ts';

export async function doctor(installation: Installation, { json }: { readonly json: boolean }): Promise<void> {
  const { print } = installation;
  const { choices, version } = requireRecord(installation);
  const result = await lookAt({ ...installation, choices, isInstalled: true }, 'running');
  const faults = result.findings.filter(({ isWarning }) => !isWarning);
  if (json) print(JSON.stringify({ version, isHealthy: faults.length === 0, ...result }, null, 2));
  else {
    for (const finding of result.findings) print(describe(finding));
    print(`${result.passed.length} checks passed${result.passed.length === 0 ? '' : `: ${result.passed.join(', ')}`}`);
  }
  const [first] = faults;
  if (first === undefined) return;
  throw new Fault(
    `${faults.length === 1 ? 'One check has' : `${faults.length} checks have`} found a fault: ${faults.map(({ name }) => name).join(', ')}.`,
    `${first.fix}, then run: berth-server doctor`,
  );
}
