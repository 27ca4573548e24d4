{{- define "tower.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "tower.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "tower.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "tower.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "tower.selector" -}}
app.kubernetes.io/name: {{ include "tower.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tower.labels" -}}
{{ include "tower.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "tower.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "tower.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "tower.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- define "tower.home" -}}
{{- .Values.storage.files.hostPath | default "/var/lib/tower-executor" }}
{{- end }}

{{- define "tower.intentsName" -}}
{{- .Values.existingIntents | default (printf "%s-intents" (include "tower.fullname" .)) }}
{{- end }}

{{- define "tower.tokensName" -}}
{{- .Values.existingTokens | default (printf "%s-tokens" (include "tower.fullname" .)) }}
{{- end }}

{{- define "tower.databaseName" -}}
{{- .Values.storage.database.existingSecret | default (printf "%s-database" (include "tower.fullname" .)) }}
{{- end }}

{{- define "tower.claimName" -}}
{{- .Values.persistence.existingClaim | default (printf "%s-home" (include "tower.fullname" .)) }}
{{- end }}

{{/* The URL that `helm test` calls: the name in the certificate, whatever the address behind it. */}}
{{- define "tower.testUrl" -}}
{{- $name := .Values.tls.serverName | default (printf "%s.%s.svc" (include "tower.fullname" .) .Release.Namespace) }}
{{- printf "%s://%s:%v" (include "tower.scheme" . | lower) $name .Values.service.port }}
{{- end }}

{{- define "tower.scheme" -}}
{{- .Values.tls.existingSecret | empty | ternary "HTTP" "HTTPS" }}
{{- end }}

{{- define "tower.hasConfigDirectory" -}}
{{- if or .Values.config .Values.tokens .Values.existingTokens }}yes{{ end }}
{{- end }}

{{/* The names of the Service and of the Ingress, under which clients may call /mcp; empty if config sets them. */}}
{{- define "tower.mcpHosts" -}}
{{- if not (include "tower.mcpConfigures" (list .Values.config "allowed-hosts")) }}
{{- $name := include "tower.fullname" . }}
{{- $inside := printf "%s.%s" $name .Release.Namespace }}
{{- $hosts := list $name $inside (printf "%s.svc" $inside) (printf "%s.svc.cluster.local" $inside) }}
{{- if .Values.ingress.enabled }}
{{- range .Values.ingress.hosts }}
{{- if not (hasPrefix "*" .) }}
{{- $hosts = append $hosts . }}
{{- end }}
{{- end }}
{{- end }}
{{- join "," $hosts }}
{{- end }}
{{- end }}

{{/* The URL of /mcp under the first host of the Ingress that has TLS; empty if there is none, or if config sets it. */}}
{{- define "tower.mcpResource" -}}
{{- if and .Values.ingress.enabled (not (include "tower.mcpConfigures" (list .Values.config "resource"))) }}
{{- $secured := list }}
{{- range .Values.ingress.tls }}
{{- $secured = concat $secured (.hosts | default list) }}
{{- end }}
{{- range .Values.ingress.hosts }}
{{- if and (has . $secured) (not (hasPrefix "*" .)) -}}
https://{{ . }}/mcp
{{- break }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Whether config has a setting of tower.mcp, nested or as one key. */}}
{{- define "tower.mcpConfigures" -}}
{{- $config := index . 0 }}
{{- $setting := index . 1 }}
{{- if or (hasKey $config (printf "tower.mcp.%s" $setting)) (hasKey (dig "tower" "mcp" dict $config) $setting) }}yes{{ end }}
{{- end }}

{{- define "tower.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "tower.podSecurityContext" -}}
{{- $root := and (eq .Values.storage.type "files") .Values.storage.files.runAsRoot -}}
runAsNonRoot: {{ not $root }}
runAsUser: {{ $root | ternary 0 .Values.user.uid }}
runAsGroup: {{ $root | ternary 0 .Values.user.gid }}
fsGroup: {{ $root | ternary 0 .Values.user.gid }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Checks of combinations of values, which a schema cannot express. Each message names the problem and the remedy. */}}
{{- define "tower.check" -}}
{{- $storage := .Values.storage }}
{{- if not $storage.type }}
{{- fail "storage.type is not set; set it to files (with storage.files.hostPath and storage.files.node) or to database (with storage.database.existingSecret)" }}
{{- end }}
{{- if eq $storage.type "files" }}
{{- include "tower.checkFiles" . }}
{{- else }}
{{- include "tower.checkDatabase" . }}
{{- end }}
{{- if and .Values.intents .Values.existingIntents }}
{{- fail "intents and existingIntents are both set; leave out one of them" }}
{{- end }}
{{- if and .Values.tokens .Values.existingTokens }}
{{- fail "tokens and existingTokens are both set; leave out one of them" }}
{{- end }}
{{- range $name, $text := .Values.intents }}
{{- if ne $name (dig "metadata" "name" "" (fromYaml $text)) }}
{{- fail (printf "intents.%s has another metadata.name, or is not YAML; both names must be the same" $name) }}
{{- end }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled }}
{{- fail "serviceMonitor.enabled and podMonitor.enabled are both set, and each pod would be scraped twice; leave out one of them" }}
{{- end }}
{{- if and (or .Values.serviceMonitor.enabled .Values.podMonitor.enabled) (not .Values.serviceMonitor.tokenSecret.name) }}
{{- fail "serviceMonitor.tokenSecret.name is not set, and metrics need a token; name a Secret that contains one" }}
{{- end }}
{{- include "tower.checkBudget" . }}
{{- include "tower.checkIngress" . }}
{{- end }}

{{- define "tower.checkFiles" -}}
{{- $files := .Values.storage.files }}
{{- if ne (int .Values.replicas) 1 }}
{{- fail (printf "replicas is %d, but locks in files exclude only the processes of one host; set it to 1, or storage.type to database" (int .Values.replicas)) }}
{{- end }}
{{- if .Values.persistence.enabled }}
{{- if or $files.hostPath $files.node $files.runAsRoot }}
{{- fail "storage.files and persistence.enabled are both set; leave out one of them" }}
{{- end }}
{{- else }}
{{- include "tower.checkHostPath" . }}
{{- end }}
{{- if or .Values.storage.database.url .Values.storage.database.existingSecret }}
{{- fail "storage.database is set although storage.type is files; leave it out, or set storage.type to database" }}
{{- end }}
{{- end }}

{{- define "tower.checkHostPath" -}}
{{- $files := .Values.storage.files }}
{{- if not $files.hostPath }}
{{- fail "storage.files.hostPath is not set; set it to the home on the tower host, such as /var/lib/tower-executor, or set persistence.enabled" }}
{{- end }}
{{- if ne $files.hostPath (clean $files.hostPath) }}
{{- fail (printf "storage.files.hostPath %s is not in its shortest form; write it as %s" $files.hostPath (clean $files.hostPath)) }}
{{- end }}
{{- if has (first (splitList "/" (trimPrefix "/" $files.hostPath))) (list "" "bin" "boot" "dev" "etc" "lib" "lib64" "opt" "proc" "run" "sbin" "sys" "tmp" "usr") }}
{{- fail (printf "storage.files.hostPath %s would hide a directory that the pod needs; use a separate directory for the home, such as /var/lib/tower-executor" $files.hostPath) }}
{{- end }}
{{- if and (or (eq $files.hostPath "/root") (hasPrefix "/root/" $files.hostPath)) (not $files.runAsRoot) }}
{{- fail (printf "storage.files.hostPath %s belongs to root, and the pod runs as user %d; set storage.files.runAsRoot=true, or use a home that this user owns" $files.hostPath (int .Values.user.uid)) }}
{{- end }}
{{- if and (not $files.node) (not .Values.nodeSelector) }}
{{- fail "storage.files.node is not set, so the pod could start on another host, without the home; set it to the tower host's name" }}
{{- end }}
{{- if .Values.operatorToken.existingSecret }}
{{- fail (printf "operatorToken.existingSecret would replace the token in %s/state/token, which commands on the host use; leave it out" $files.hostPath) }}
{{- end }}
{{- end }}

{{- define "tower.checkDatabase" -}}
{{- $database := .Values.storage.database }}
{{- if and $database.url $database.existingSecret }}
{{- fail "storage.database.url and storage.database.existingSecret are both set; leave out one of them" }}
{{- end }}
{{- if not (or $database.url $database.existingSecret) }}
{{- fail "storage.database.existingSecret is not set; name a Secret whose key url is jdbc:postgresql://HOST/DATABASE?user=USER&password=PASSWORD" }}
{{- end }}
{{- if or .Values.storage.files.hostPath .Values.storage.files.node .Values.storage.files.runAsRoot }}
{{- fail "storage.files is set although storage.type is database; leave it out, or set storage.type to files" }}
{{- end }}
{{- if .Values.persistence.enabled }}
{{- fail "persistence.enabled is set although storage.type is database; leave it out, or set storage.type to files" }}
{{- end }}
{{- end }}

{{- define "tower.checkBudget" -}}
{{- $budget := .Values.podDisruptionBudget }}
{{- if $budget.enabled }}
{{- if and (not (kindIs "invalid" $budget.maxUnavailable)) (not (kindIs "invalid" $budget.minAvailable)) }}
{{- fail "podDisruptionBudget.maxUnavailable and minAvailable are both set; set one of them to null" }}
{{- end }}
{{- if and (kindIs "invalid" $budget.maxUnavailable) (kindIs "invalid" $budget.minAvailable) }}
{{- fail "podDisruptionBudget has neither maxUnavailable nor minAvailable; set one of them" }}
{{- end }}
{{- if and (not (kindIs "invalid" $budget.minAvailable)) (ge (int $budget.minAvailable) (int .Values.replicas)) }}
{{- fail (printf "podDisruptionBudget.minAvailable %d of %d replicas would block every node drain; lower it, or use maxUnavailable" (int $budget.minAvailable) (int .Values.replicas)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tower.checkIngress" -}}
{{- if .Values.ingress.enabled }}
{{- if not .Values.ingress.hosts }}
{{- fail "ingress.hosts is empty; name at least one host, such as tower.example.org" }}
{{- end }}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.from) }}
{{- fail "ingress.enabled is set, but networkPolicy admits only the pods of this namespace; set networkPolicy.from to the pods of the ingress controller, or to [{ podSelector: {} }] if they are in this namespace" }}
{{- end }}
{{- end }}
{{- end }}
