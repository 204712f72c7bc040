{{- define "nettest.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* 50: the objects' suffixes must still fit into 63. */ -}}
{{- define "nettest.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "nettest.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "nettest.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "nettest.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "nettest.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is needed when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "nettest.selectorLabels" -}}
app.kubernetes.io/name: {{ include "nettest.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "nettest.labels" -}}
{{ include "nettest.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: nettest
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "nettest.image" -}}
{{- $name := .Values.image.repository -}}
{{- if .Values.image.registry -}}
{{- $name = printf "%s/%s" .Values.image.registry $name -}}
{{- end -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* The job that the operator's series have; a ServiceMonitor makes it of the Service's name. */ -}}
{{- define "nettest.job" -}}
{{- default (include "nettest.fullname" .) .Values.prometheusRule.job -}}
{{- end -}}

{{- /* Where an alert's runbook is: (list $ ALERT). */ -}}
{{- define "nettest.runbook" -}}
{{- $values := (index . 0).Values -}}
{{- printf "%s/%s.md" (default "docs/runbooks" $values.prometheusRule.runbooks | trimSuffix "/") (index . 1) -}}
{{- end -}}

{{- /* 90s, 15m, 26h or 2d in seconds: PromQL compares numbers. */ -}}
{{- define "nettest.seconds" -}}
{{- $unit := . | trimAll "0123456789" -}}
{{- mul (. | trimSuffix $unit | int64) (index (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit) -}}
{{- end -}}
