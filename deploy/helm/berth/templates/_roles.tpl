{{- /* The roles, as data: their ports, the Secrets that they read, and the port behind their Service. */ -}}
{{- define "berth.roles" -}}
api:
  ports: { http: 8080, node: 8081, health: 9080 }
  secrets: [postgres, masterKeys, clickhouse]
orchestrator:
  ports: { handlers: 9180, health: 9081 }
  secrets: [postgres, masterKeys, clickhouse]
gateway:
  ports: { http: 8090, health: 9083 }
  secrets: {{ ternary "[postgres, masterKeys, clickhouse]" "[postgres, clickhouse]" .Values.gateway.models }}
{{- end }}

{{- /* Variables that name the files of secrets. */ -}}
{{- define "berth.secretVariables" -}}
postgres: BERTH_POSTGRES_URL_FILE
masterKeys: BERTH_MASTER_KEYS_FILE
clickhouse: BERTH_CLICKHOUSE_URL_FILE
{{- end }}
