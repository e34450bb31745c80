{{- define "berth.handlersUrl" -}}
{{- $roles := include "berth.roles" . | fromYaml -}}
{{- $service := printf "http://%s-orchestrator.%s.svc:%v" (include "berth.fullname" .) .Release.Namespace $roles.orchestrator.ports.handlers -}}
{{- .Values.orchestrator.advertisedUrl | default $service -}}
{{- end }}

{{- /* Settings that the chart decides: ports, probes, Services and mounted files depend on them. */ -}}
{{- define "berth.decided" -}}
{{- $roles := include "berth.roles" . | fromYaml -}}
api:
  host: 0.0.0.0
  port: {{ $roles.api.ports.http }}
  node:
    enabled: true
    host: 0.0.0.0
    port: {{ $roles.api.ports.node }}
orchestrator:
  host: 0.0.0.0
  port: {{ $roles.orchestrator.ports.handlers }}
  advertisedUrl: {{ include "berth.handlersUrl" . }}
gateway:
  host: 0.0.0.0
  port: {{ $roles.gateway.ports.http }}
  {{- if .Values.gateway.tlsSecret }}
  tls:
    certFile: /etc/berth/tls/tls.crt
    keyFile: /etc/berth/tls/tls.key
  {{- end }}
health:
  host: 0.0.0.0
  ports:
    {{- range $role, $of := $roles }}
    {{ $role }}: {{ $of.ports.health }}
    {{- end }}
shutdown:
  deadlineSeconds: {{ include "berth.deadlineSeconds" . }}
{{- end }}

{{- define "berth.deadlineSeconds" -}}
{{- dig "shutdown" "deadlineSeconds" 25 .Values.settings -}}
{{- end }}

{{- /* Keys of `settings` that are refused, with what to do instead. */ -}}
{{- define "berth.refused" -}}
postgres: it holds a password. Put the address into a Secret and name that in secrets.postgres.
masterKeys: they are secret. Put them into a Secret and name that in secrets.masterKeys.
clickhouse.url: it may hold a password. Put the address into a Secret and name that in secrets.clickhouse.
runner: runners do not run in the cluster. Remove it (docs/operations/kubernetes.md).
health: the chart sets it. Remove it.
api.host: the chart sets it. Remove it.
api.port: the chart sets it. Remove it and set api.service.port.
api.node.enabled: the chart sets it. Remove it.
api.node.host: the chart sets it. Remove it.
api.node.port: the chart sets it. Remove it and set api.nodeService.port.
orchestrator.host: the chart sets it. Remove it.
orchestrator.port: the chart sets it. Remove it.
orchestrator.advertisedUrl: the chart sets it. Remove it and set orchestrator.advertisedUrl of the chart.
gateway.host: the chart sets it. Remove it.
gateway.port: the chart sets it. Remove it and set gateway.service.port.
gateway.tls: the chart sets it. Remove it and name a Secret in gateway.tlsSecret.
gateway.localRunner: runners do not run in the cluster. Remove it.
{{- end }}

{{- define "berth.checkSettings" -}}
{{- range $path, $advice := include "berth.refused" . | fromYaml -}}
{{- $walk := dict "node" $.Values.settings "found" true -}}
{{- range splitList "." $path -}}
{{- if and (kindIs "map" $walk.node) (hasKey $walk.node .) -}}
{{- $_ := set $walk "node" (get $walk.node .) -}}
{{- else -}}
{{- $_ := set $walk "found" false -}}
{{- end -}}
{{- end -}}
{{- if $walk.found -}}
{{- fail (printf "settings.%s: %s" $path $advice) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "berth.settings" -}}
{{- include "berth.checkSettings" . -}}
{{- mergeOverwrite (deepCopy .Values.settings) (include "berth.decided" . | fromYaml) | toYaml -}}
{{- end }}
