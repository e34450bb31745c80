{{- define "berth.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "berth.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Variables of a container that name the files of its secrets; takes the references by kind of secret. */ -}}
{{- define "berth.secretEnv" -}}
{{- $variables := include "berth.secretVariables" . | fromYaml -}}
{{- range $kind, $ref := . }}
- { name: {{ get $variables $kind }}, value: /etc/berth/secrets/{{ $kind }} }
{{- end }}
{{- end }}

{{- define "berth.mounts" -}}
- { name: settings, mountPath: /etc/berth/berth.yaml, subPath: berth.yaml, readOnly: true }
- { name: secrets, mountPath: /etc/berth/secrets, readOnly: true }
{{- end }}

{{- /* Takes `configMap` and `refs`, the references by kind of secret. */ -}}
{{- define "berth.volumes" -}}
- name: settings
  configMap: { name: {{ .configMap }} }
- name: secrets
  projected:
    # 0440: readable by the group of the pod alone.
    defaultMode: 288
    sources:
      {{- range $kind, $ref := .refs }}
      - secret:
          name: {{ $ref.name }}
          items: [{ key: {{ $ref.key | quote }}, path: {{ $kind }} }]
      {{- end }}
{{- end }}

{{- /* References of a role by kind of secret; its own before the shared ones, none without a name. Takes `root` and `role`. */ -}}
{{- define "berth.secretRefs" -}}
{{- $roles := include "berth.roles" .root | fromYaml -}}
{{- $own := dig "secrets" dict (get .root.Values .role) -}}
{{- $refs := dict -}}
{{- range (get $roles .role).secrets -}}
{{- $ref := get $.root.Values.secrets . -}}
{{- if dig . "name" "" $own -}}
{{- $ref = get $own . -}}
{{- end -}}
{{- if $ref.name -}}
{{- $_ := set $refs . $ref -}}
{{- end -}}
{{- end -}}
{{- toYaml $refs -}}
{{- end }}
