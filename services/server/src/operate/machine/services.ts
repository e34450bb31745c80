import type { Choices } from '../install/install-record.ts';

export const engineServices = ({ withLogs }: Pick<Choices, 'withLogs'>): string[] => [
  'postgres',
  'restate',
  ...(withLogs ? ['clickhouse'] : []),
];

export const controlServices = ['control', 'gateway-1', 'gateway-2'] as const;

/** Services of compose.yaml that an installation runs. */
export const servicesOf = (choices: Pick<Choices, 'withLogs'>): string[] => [
  ...engineServices(choices),
  ...controlServices,
  'edge',
];
