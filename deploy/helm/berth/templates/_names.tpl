{{- define "berth.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-berth" .Release.Name) (contains "berth" .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Takes the root and the tag that a role may have of its own. */ -}}
{{- define "berth.image" -}}
{{- $image := .root.Values.image -}}
{{- if and $image.digest (not .tag) -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ .tag | default $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end }}
