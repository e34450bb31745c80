import { pebble } from './acme.ts';
import { baseImage } from './base-image.ts';
import { boxRoot } from './box/box-root.ts';
import { boxImages } from './box/images/images.ts';
import { caddy } from './caddy.ts';
import { chromium } from './chromium.ts';
import { clickhouse } from './clickhouse.ts';
import { containerRegistry } from './container-registry.ts';
import { docker } from './docker.ts';
import type { Engine, Installable } from './engine.ts';
import { guestRuntime } from './guest/runtime.ts';
import { gvisor } from './gvisor.ts';
import { helm } from './helm.ts';
import { litellm } from './litellm.ts';
import { loadTools } from './load-tools.ts';
import { muslImage } from './musl-image.ts';
import { networkTools } from './network-tools.ts';
import { otlpSchema } from './otlp-schema.ts';
import { postgres } from './postgres.ts';
import { prometheus } from './prometheus.ts';
import { python } from './python.ts';
import { pythonExamples } from './python-examples.ts';
import { restate } from './restate.ts';
import { runtimesRoot } from './runtimes-root.ts';
import { sandboxImage } from './sandbox-image.ts';
import { tinyImage } from './tiny-image.ts';
import { emulator } from './virtual-host/emulator.ts';
import { hostImages } from './virtual-host/host-image.ts';

export const engines: readonly Engine[] = [postgres, restate, clickhouse, docker, containerRegistry];

/** Parts that engines use and `pnpm engines install` fetches or builds. They do not run by themselves. */
export const parts: readonly Installable[] = [
  gvisor,
  networkTools,
  baseImage,
  tinyImage,
  muslImage,
  sandboxImage,
  guestRuntime,
  loadTools,
  litellm,
  python,
  pythonExamples,
  chromium,
  prometheus,
  otlpSchema,
  helm,
  runtimesRoot,
  emulator,
  ...hostImages,
  boxRoot,
  caddy,
  boxImages,
  pebble,
];
