// Looks at a running deployment, at any time.
import { describe, type LookResult, lookAt, lookAtRunner } from '../checks/look.ts';
import type { InstallRecord } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';
import { requireRecord } from '../install/require-record.ts';
import { Fault } from '../machine/fault.ts';

export async function doctor(installation: Installation, { json }: { readonly json: boolean }): Promise<void> {
  const { print } = installation;
  const record = requireRecord(installation);
  const { version } = record;
  const result = await lookAtRunning(installation, record);
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

function lookAtRunning(installation: Installation, record: InstallRecord): Promise<LookResult> {
  const machine = { ...installation, isInstalled: true };
  return record.kind === 'runner'
    ? lookAtRunner({ ...machine, choices: record.choices }, 'running')
    : lookAt({ ...machine, choices: record.choices }, 'running');
}
