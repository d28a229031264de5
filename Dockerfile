# The built JavaScript and dashboard, the packages they need, and Node; nothing else.
#   docker build -t syncline .
#   docker run -p 127.0.0.1:8080:8080 -v syncline:/data syncline
# For both kinds of processors, into a registry of yours (docs/operations.md):
#   docker buildx build --platform linux/amd64,linux/arm64 -t registry.example.com/syncline --push .
# Several nodes on PostgreSQL: compose.yaml and deploy/kubernetes; docs/scaling.md tells how.

# Debian, as the bundler of the dashboard has a binary for it wherever the lock file comes from; what it builds runs anywhere. So it is built by the
# processor that is there, whichever the image is for.
FROM --platform=$BUILDPLATFORM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The one install script belongs to the Node that a clone brings along; here the image's own is used.
RUN npm install --no-save --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY dashboard ./dashboard
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json \
  && node node_modules/vite/bin/vite.js build dashboard --outDir ../dist/dashboard/dist

FROM --platform=$BUILDPLATFORM node:26-alpine AS packages
ARG TARGETARCH
WORKDIR /build
COPY package.json package-lock.json ./
# DuckDB alone has a binary for each kind of processor: that of the image is asked for.
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
  --os=linux --libc=musl --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)"

FROM node:26-alpine
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY --from=packages /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# The only place that is written to: the root file system may be read-only.
RUN mkdir /data && chown 1000:1000 /data && chmod 700 /data
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 HOST=0.0.0.0 PORT=8080 SYNCLINE_DATA_DIR=/data NODE_DISABLE_COMPILE_CACHE=1
# The user `node`, by number: Kubernetes can tell that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=40s CMD wget -q -O /dev/null "http://127.0.0.1:$PORT/readyz" || exit 1
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/syncline.js"]
CMD ["start"]
