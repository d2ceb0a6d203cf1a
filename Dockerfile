# The worker. Build: docker build -t reprise .
# Run: docker run -e TEMPORAL_ADDRESS=host:7233 -e GEMINI_API_KEY reprise
# glibc is needed: the Temporal SDK's native part has no build for Alpine.
ARG NODE_IMAGE=node:22-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
# The Temporal SDK checks a TLS server against the system's certificates.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
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
