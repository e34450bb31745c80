import type { HandlerTable } from '../http/call.ts';

const welcome = () => import('./welcome.ts').then((file) => file.welcome);

export const systemHandlers = {
  apiDescription: () => import('./api-description.ts').then(({ apiDescription }) => apiDescription),
  health: () => import('./health.ts').then(({ health }) => health),
  stats: () => import('./stats.ts').then(({ stats }) => stats),
  upgrade: () => import('./upgrade.ts').then(({ upgrade }) => upgrade),
  environmentReload: () => import('./reload-environment.ts').then(({ reloadEnvironment }) => reloadEnvironment),
  tunnelConfigure: () => import('./tunnel.ts').then(({ configureTunnel }) => configureTunnel),
  tunnelEnd: () => import('./tunnel.ts').then(({ endTunnel }) => endTunnel),
  driveList: () => import('./drives.ts').then(({ listDrives }) => listDrives),
  driveMount: () => import('./drives.ts').then(({ mountDrive }) => mountDrive),
  driveUnmount: () => import('./drives.ts').then(({ unmountDrive }) => unmountDrive),
  welcome,
  welcomePost: welcome,
  welcomePut: welcome,
  welcomeDelete: welcome,
  welcomePatch: welcome,
} satisfies HandlerTable;
