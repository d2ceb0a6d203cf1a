# The worker. Build: docker build -t reprise .
# Run: docker run -e TEMPORAL_ADDRESS=host:7233 -e GEMINI_API_KEY reprise
# glibc is needed: the Temporal SDK's native part has no build for Alpine.
ARG NODE_IMAGE=node:22-bookworm-slim
# What runs in the end has no npm and no headers: of Node only its program is taken along.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY scripts/vendor.mjs scripts/bundle.mjs scripts/
RUN npm run build && find dist \( -name '*.map' -o -name '*.d.ts' \) -delete

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has what the package leaves to those who need it: clients of providers, S3, Arrow.
COPY docker/optional-peers.mjs docker/optional-peers.mjs
RUN npm ci --omit=dev --ignore-scripts \
  && npm install --save-prod --omit=dev --ignore-scripts $(node docker/optional-peers.mjs)
COPY docker/prune-modules.mjs docker/prune-modules.mjs
RUN node docker/prune-modules.mjs node_modules

FROM ${BASE_IMAGE}
# The Temporal SDK checks a TLS server against the system's certificates.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/cache/apt/* /var/lib/apt/lists/* \
  && groupadd --gid 1000 node \
  && useradd --uid 1000 --gid node --create-home node \
  && install --directory --owner=node --group=node /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies --chown=node:node /app/node_modules node_modules
COPY --from=build --chown=node:node /app/dist dist
COPY --chown=node:node package.json ./
COPY --chown=node:node configs configs
COPY --chown=node:node examples examples
COPY --chown=node:node docker/create-bucket.mjs docker/create-bucket.mjs
# For code that a model writes; the worker needs DOCKER_HOST, or the host's socket mounted (which is as good as root there).
COPY --chown=node:node docker/scaffold-runner docker/scaffold-runner
RUN chmod +x dist/cli/main.js && ln -s /app/dist/cli/main.js /usr/local/bin/reprise
USER node
# Needs TEMPORAL_ADDRESS. SIGTERM lets the calls in flight finish for ten seconds.
STOPSIGNAL SIGTERM
ENTRYPOINT ["reprise"]
CMD ["worker"]
