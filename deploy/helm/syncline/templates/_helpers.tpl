{{- define "syncline.name" -}}
{{ default .Release.Name .Values.fullnameOverride }}
{{- end }}

{{- define "syncline.isSingle" -}}
{{- if not (or .Values.existingSecret .Values.secrets.databaseUrl) }}yes{{ end }}
{{- end }}

{{- define "syncline.hasSecret" -}}
{{- if or .Values.existingSecret .Values.secrets.databaseUrl .Values.secrets.adminKey .Values.secrets.secretKey }}yes{{ end }}
{{- end }}

{{- define "syncline.labels" -}}
app.kubernetes.io/name: syncline
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* What requests go to. */}}
{{- define "syncline.front" -}}
{{- if include "syncline.isSingle" . }}all{{ else }}api{{ end }}
{{- end }}

{{/* The pods of one role: root, component, and resources. */}}
{{- define "syncline.pods" -}}
metadata:
  labels:
    {{- include "syncline.labels" . | nindent 4 }}
  annotations:
    checksum/settings: {{ toJson .root.Values.settings | sha256sum }}
    checksum/secrets: {{ toJson .root.Values.secrets | sha256sum }}
    {{- if and .root.Values.metrics.enabled .root.Values.metrics.annotations }}
    prometheus.io/scrape: "true"
    prometheus.io/path: /metrics
    prometheus.io/port: {{ quote .root.Values.metrics.port }}
    {{- end }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  # Else the service "syncline" would become variables that look like settings.
  enableServiceLinks: false
  # 5 s until nobody sends requests any more, 25 s to finish what is under way, and some to spare.
  terminationGracePeriodSeconds: 40
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "syncline.labels" . | nindent 10 }}
  containers:
    - name: syncline
      image: {{ .root.Values.image.repository }}:{{ .root.Values.image.tag }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [start, --role, {{ .component }}]
      envFrom:
        - configMapRef: { name: {{ include "syncline.name" .root }} }
        {{- if include "syncline.hasSecret" .root }}
        - secretRef: { name: {{ default (include "syncline.name" .root) .root.Values.existingSecret }} }
        {{- end }}
      {{- if or (eq .component "worker") .root.Values.metrics.enabled .root.Values.extraEnv }}
      env:
        {{- if eq .component "worker" }}
        - { name: SYNCLINE_MAX_RUNS, value: {{ quote .root.Values.worker.maxRuns }} }
        - { name: SYNCLINE_RUN_MEMORY, value: {{ quote .root.Values.worker.runMemory }} }
        {{- end }}
        {{- if .root.Values.metrics.enabled }}
        - { name: SYNCLINE_METRICS_PORT, value: {{ quote .root.Values.metrics.port }} }
        {{- end }}
        {{- with .root.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if .root.Values.metrics.enabled }}
        - { name: metrics, containerPort: {{ .root.Values.metrics.port }} }
        {{- end }}
      # It listens when the tables are up to date, which may take a while after an upgrade.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 300
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        timeoutSeconds: 2
        {{- if eq .component "worker" }}
        periodSeconds: 5
        {{- else }}
        periodSeconds: 2
        failureThreshold: 2
        {{- end }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      {{- if eq .component "api" }}
      lifecycle:
        # Until every proxy has heard that this pod goes.
        preStop: { exec: { command: [sleep, "5"] } }
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: data, mountPath: /data }
  {{- if not (eq .component "all") }}
  volumes:
    # Nothing in it outlives the pod.
    - { name: data, emptyDir: {} }
  {{- end }}
{{- end }}
