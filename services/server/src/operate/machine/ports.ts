/** These listen on loopback alone. */
export const ports = {
  postgres: 17_000,
  restateIngress: 17_001,
  restateAdmin: 17_002,
  restateNode: 17_003,
  clickhouse: 17_004,
  api: 17_010,
  nodeListener: 17_011,
  runnerIngress: 17_012,
  /** Both gateways share it. */
  gateway: 17_013,
  handlers: 17_014,
  apiHealth: 17_020,
  orchestratorHealth: 17_021,
  runnerHealth: 17_022,
  gatewayHealth: 17_023,
  secondGatewayHealth: 17_024,
} as const;

export const edgePorts = { http: 80, https: 443 } as const;

/** Open to other machines of the deployment, with mutual TLS, once it has some. */
export const runnerPorts = { nodeListener: 8_081, ingress: 8_082 } as const;
