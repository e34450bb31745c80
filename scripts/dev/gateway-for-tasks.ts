interface Placing {
  /** Addresses of instances; this machine has the first one, on the bridge. */
  readonly subnet: string;
  /** Port of the gateway. */
  readonly port: number;
  readonly workloadDomain: string;
}

/**
 * Settings by which tasks of jobs reach the gateway of this machine. Instances reach the machine only at its address on
 * the bridge, and only at ports listed in `runner.gateways`. The developer's clients use loopback, and a gateway listens
 * either on one address or on all.
 */
export function gatewayForTasks({ subnet, port, workloadDomain }: Placing): Readonly<Record<string, string>> {
  const address = subnet.replace(/(\d+)\/\d+$/, (_, last) => String(Number(last) + 1));
  return {
    BERTH_GATEWAY_HOST: '0.0.0.0',
    // Setting any own host name replaces the usual two.
    BERTH_GATEWAY_HOSTS: JSON.stringify([workloadDomain, `run.${workloadDomain}`, address]),
    BERTH_RUNNER_GATEWAYS: JSON.stringify([{ address, port }]),
    BERTH_PLACEMENT_JOBS_GATEWAY_URL: `http://${address}:${port}`,
  };
}
