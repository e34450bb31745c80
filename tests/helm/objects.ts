// Objects of Kubernetes as far as the rules of the chart read them.
import { z } from 'zod';

/** The chart has none of it, and the rules do not look at it. */
const none = z.never().optional();
const Names = z.record(z.string(), z.string());
const Metadata = z.looseObject({ name: z.string(), labels: Names.default({}), annotations: Names.default({}) });
const Probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.int(),
  failureThreshold: z.int(),
});
const Amounts = z.object({ cpu: z.union([z.string(), z.number()]), memory: z.string() }).partial();

const Container = z.looseObject({
  name: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  envFrom: none,
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.int() })).default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string(), subPath: z.string().optional() })),
  resources: z.object({ requests: Amounts, limits: Amounts }).partial().default({}),
  securityContext: z
    .looseObject({
      privileged: z.boolean().optional(),
      allowPrivilegeEscalation: z.boolean().optional(),
      readOnlyRootFilesystem: z.boolean().optional(),
      capabilities: z
        .object({ add: z.array(z.string()), drop: z.array(z.string()) })
        .partial()
        .default({}),
    })
    .prefault({}),
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.int() }) }) }).optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
});

const SecretSource = z.object({
  name: z.string(),
  items: z.array(z.object({ key: z.string(), path: z.string() })),
});
const Volume = z.looseObject({
  name: z.string(),
  configMap: z.object({ name: z.string() }).optional(),
  secret: z.object({ secretName: z.string() }).loose().optional(),
  projected: z.looseObject({ sources: z.array(z.object({ secret: SecretSource })) }).optional(),
});

const PodSpec = z.looseObject({
  automountServiceAccountToken: z.boolean().optional(),
  enableServiceLinks: z.boolean().optional(),
  terminationGracePeriodSeconds: z.int().default(30),
  securityContext: z
    .looseObject({
      runAsNonRoot: z.boolean(),
      runAsUser: z.int(),
      seccompProfile: z.object({ type: z.string() }),
    })
    .partial()
    .default({}),
  containers: z.array(Container).min(1),
  initContainers: none,
  volumes: z.array(Volume),
});
export type PodSpec = z.infer<typeof PodSpec>;

const Template = z.object({ metadata: Metadata.omit({ name: true }), spec: PodSpec });
const Selector = z.object({ matchLabels: Names });
const PolicyPort = z.object({ port: z.string(), protocol: z.string() });

const Deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: Metadata,
  spec: z.looseObject({
    selector: Selector,
    strategy: z.looseObject({ rollingUpdate: z.object({ maxUnavailable: z.int(), maxSurge: z.int() }) }),
    template: Template,
  }),
});
const Job = z.object({
  kind: z.literal('Job'),
  metadata: Metadata,
  spec: z.looseObject({ template: Template }),
});
const ConfigMap = z.object({
  kind: z.literal('ConfigMap'),
  metadata: Metadata,
  data: z.object({ 'berth.yaml': z.string() }),
});
const Service = z.object({
  kind: z.literal('Service'),
  metadata: Metadata,
  spec: z.looseObject({
    publishNotReadyAddresses: z.boolean().default(false),
    selector: Names,
    ports: z.array(z.looseObject({ port: z.int(), targetPort: z.string() })),
  }),
});
const DisruptionBudget = z.object({
  kind: z.literal('PodDisruptionBudget'),
  metadata: Metadata,
  spec: z.object({ maxUnavailable: z.int(), selector: Selector }),
});
const NetworkPolicy = z.object({
  kind: z.literal('NetworkPolicy'),
  metadata: Metadata,
  spec: z.looseObject({
    podSelector: Selector,
    ingress: z.array(z.looseObject({ ports: z.array(PolicyPort), from: z.array(z.unknown()).optional() })).default([]),
  }),
});
const Backend = z.object({
  backend: z.object({ service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }) }),
});
const Ingress = z.object({
  kind: z.literal('Ingress'),
  metadata: Metadata,
  spec: z.looseObject({
    rules: z.array(z.object({ host: z.string(), http: z.object({ paths: z.array(Backend.loose()) }) })),
  }),
});

/** A kind that is not in this list, such as Secret, is refused. */
export const KubernetesObject = z.discriminatedUnion('kind', [
  Deployment,
  Job,
  ConfigMap,
  Service,
  DisruptionBudget,
  NetworkPolicy,
  Ingress,
]);
export type KubernetesObject = z.infer<typeof KubernetesObject>;
type Kind = KubernetesObject['kind'];

export const ofKind = <K extends Kind>(objects: readonly KubernetesObject[], kind: K) =>
  objects.filter((object): object is Extract<KubernetesObject, { kind: K }> => object.kind === kind);

/** Objects that run pods. */
export const workloadsOf = (objects: readonly KubernetesObject[]) => [
  ...ofKind(objects, 'Deployment'),
  ...ofKind(objects, 'Job'),
];

/** The Deployment whose pods the labels select; undefined where there are several. */
export function selected(objects: readonly KubernetesObject[], labels: Readonly<Record<string, string>>) {
  const found = ofKind(objects, 'Deployment').filter(({ spec }) =>
    Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
  );
  const [only] = found;
  return found.length === 1 ? only : undefined;
}
